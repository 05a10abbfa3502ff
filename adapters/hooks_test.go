package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
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

// A chatty assignor asks for rebalances until there are enough, and tells what it knows of its member.
type chatty struct {
	assignor.Range
	told chan string
}

const enough = 3

func (chatty) UserData(last assignor.Assignment) []byte {
	return fmt.Appendf(nil, "%d %s", last.Generation, last.UserData)
}

func (c chatty) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	known := assignor.ErrNoOffsets.Error()
	if offsets, err := p.Offsets(ctx); err == nil {
		known = fmt.Sprint(offsets)
	} else if !errors.Is(err, assignor.ErrNoOffsets) {
		known = err.Error()
	}
	c.told <- fmt.Sprintf("leads after %d, with user data %s; %s", p.Previous, p.Members[0].UserData, known)
	plan.SetUserData(0, fmt.Appendf(nil, "after %d", p.Previous))
	return c.Range.Assign(ctx, p, plan)
}

func (c chatty) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	c.told <- fmt.Sprintf("is assigned %v in %d, with user data %s", a.Partitions[0].Partitions, a.Generation, a.UserData)
	return a.Generation < enough, time.Duration(a.Generation-1) * time.Millisecond // at once, and later
}

// An assignor in a member of each client, alone in its group, has what it wants beyond a plan.
func TestHooks(t *testing.T) {
	for maker, member := range map[string]struct {
		start    func(t *testing.T, addr, group, topic string, a assignor.Assignor)
		attaches bool // what the leader attaches is sent
		offsets  string
	}{
		"kgo":      {kgoWithHooks, true, "[[{-1 0 0} {-1 0 0}]]"},
		"sarama":   {saramaWithHooks, true, assignor.ErrNoOffsets.Error()},
		"kafka-go": {kafkaGoWithHooks, false, assignor.ErrNoOffsets.Error()},
	} {
		t.Run(maker, func(t *testing.T) {
			t.Parallel()
			broker, a := kafkatest.Start(t, kafkatest.V4_4_0), chatty{told: make(chan string, 100)}
			member.start(t, broker.Addr(), kafkatest.Name(t), broker.CreateTopic(t, 2), a)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			await := func(format string, args ...any) {
				t.Helper()
				select {
				case got := <-a.told:
					if want := fmt.Sprintf(format, args...); got != want {
						t.Fatalf("it %s\nwant  %s", got, want)
					}
				case <-ctx.Done():
					t.Fatalf("it is not heard that it "+format, args...)
				}
			}
			last, data := -1, ""
			for generation := 1; generation <= enough; generation++ {
				await("leads after %d, with user data %d %s; %s", last, last, data, member.offsets)
				if member.attaches {
					data = fmt.Sprint("after ", last)
				}
				await("is assigned [0 1] in %d, with user data %s", generation, data)
				last = generation
			}
		})
	}
}

func kgoWithHooks(t *testing.T, addr, group, topic string, a assignor.Assignor) {
	b := kgobalancer.New(a)
	c, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.Balancers(b), kgo.WithHooks(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
}

func saramaWithHooks(t *testing.T, addr, group, topic string, a assignor.Assignor) {
	var end atomic.Value // of the session: its context.CancelFunc
	rejoin := saramastrategy.Rejoin(func() { end.Load().(context.CancelFunc)() })
	config := sarama.NewConfig()
	config.Version = sarama.V4_0_0_0
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{saramastrategy.New(a, rejoin)}
	c, err := sarama.NewConsumerGroup([]string{addr}, group, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			session, cancel := context.WithCancel(ctx)
			end.Store(cancel)
			if err := c.Consume(session, []string{topic}, saramaHandler{}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			cancel()
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func kafkaGoWithHooks(t *testing.T, addr, group, topic string, a assignor.Assignor) {
	b := kafkagobalancer.New(a, func(err error) { t.Error(err) })
	c, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: group, Brokers: []string{addr}, Topics: []string{topic}, GroupBalancers: []kafka.GroupBalancer{b},
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			generation, err := c.Next(context.Background())
			if err != nil {
				return // it is closed
			}
			b.Assigned(generation)
		}
	}()
	t.Cleanup(func() {
		_ = c.Close()
		<-ended
	})
}
