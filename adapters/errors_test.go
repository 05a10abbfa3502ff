package adapters_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

var errBroken = errors.New("broken")

// broken is an assignor that has no plan.
type broken struct{ assignor.Range }

func (broken) Assign(context.Context, *assignor.Problem, *assignor.Plan) error { return errBroken }

// errorHook passes on what kgo tells of its group.
type errorHook chan error

// OnGroupManageError implements kgo.HookGroupManageError.
func (h errorHook) OnGroupManageError(err error) {
	select {
	case h <- err:
	default: // it tries again, and again
	}
}

// What an assignor fails with reaches who uses it, in each client by the way that it has.
func TestAnErrorReachesTheUser(t *testing.T) {
	for maker, fail := range map[string]func(t *testing.T, addr, group, topic string, told errorHook){
		"kgo": func(t *testing.T, addr, group, topic string, told errorHook) {
			c, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic),
				kgo.Balancers(kgobalancer.New(broken{})), kgo.WithHooks(told))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
		},
		"sarama": func(t *testing.T, addr, group, topic string, told errorHook) {
			config := sarama.NewConfig()
			config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{saramastrategy.New(broken{})}
			c, err := sarama.NewConsumerGroup([]string{addr}, group, config)
			if err != nil {
				t.Fatal(err)
			}
			told <- c.Consume(t.Context(), []string{topic}, saramaHandler{})
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		},
		"kafka-go": func(t *testing.T, addr, group, topic string, told errorHook) {
			c, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: group, Brokers: []string{addr}, Topics: []string{topic},
				GroupBalancers: []kafka.GroupBalancer{kafkagobalancer.New(broken{}, told.OnGroupManageError)}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
		},
	} {
		t.Run(maker, func(t *testing.T) {
			broker, told := kafkatest.Start(t, kafkatest.V4_4_0), make(errorHook, 1)
			fail(t, broker.Addr(), kafkatest.Name(t), broker.CreateTopic(t, 1), told)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			select {
			case err := <-told:
				if !errors.Is(err, errBroken) {
					t.Errorf("told %v", err)
				}
			case <-ctx.Done():
				t.Error("nobody is told")
			}
		})
	}
}
