package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

// TestMembersShareLagOutOnKafka: lags of 90, 30, 30, 20, 10, 0 come to 90 for two members each.
func TestMembersShareLagOutOnKafka(t *testing.T) {
	onKafka(t, func(t *testing.T, broker *kafkatest.Broker) {
		lags := []int64{20, 90, 0, 30, 10, 30}
		topic := broker.CreateTopic(t, int32(len(lags)))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cl, err := kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			t.Fatal(err)
		}
		defer cl.Close()
		cfg := consumer.Config{
			Topics: []string{topic}, Assignors: []assignor.Assignor{assignor.LagAware{}},
			Member: client.Config{Group: kafkatest.Name(t), SessionTimeout: 3 * time.Second, HeartbeatInterval: 200 * time.Millisecond},
		}
		first, second := newKafkaConsumer(t, broker.Addr(), cfg), newKafkaConsumer(t, broker.Addr(), cfg)
		if _, err := first.Join(ctx).Wait(ctx); err != nil {
			t.Fatal(err)
		}
		done := make(map[consumer.TopicPartition]consumer.Offset)
		for partition, lag := range lags {
			const read = 7
			produce(ctx, t, cl, topic, int32(partition), read*(partition%2)+int(lag))
			if partition%2 == 1 { // of the others nothing is committed
				done[at(topic, int32(partition))] = consumer.Offset{At: read}
			}
		}
		if err := first.Commit(ctx, done); err != nil {
			t.Fatal(err)
		}
		if _, err := second.Join(ctx).Wait(ctx); err != nil {
			t.Fatal(err)
		}
		awaitGroup(t, broker, cfg.Member.Group, topic, 2, int32(len(lags)))
		for _, c := range []*consumer.Consumer{first, second} {
			if a, err := c.Join(ctx).Wait(ctx); err != nil || lagOf(a, lags...) != 90 {
				t.Errorf("a member has a lag of %d, by %v, %v", lagOf(a, lags...), a.Partitions, err)
			}
		}
	})
}
