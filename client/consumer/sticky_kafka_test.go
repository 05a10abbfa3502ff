package consumer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

// mixed is a group of our consumers and Java's on Kafka.
type mixed struct {
	*testing.T
	broker       *kafkatest.Broker
	topic, group string
	assignor     assignor.Assignor
	before       map[string][]int32 // by client id: what it owned when the group was last stable
}

const mixedPartitions = 12

func (g *mixed) ours(name string) *consumer.Consumer {
	c := newKafkaConsumer(g.T, g.broker.Addr(), consumer.Config{
		Topics:    []string{g.topic},
		Assignors: []assignor.Assignor{g.assignor},
		Member: client.Config{Group: g.group, ClientID: name, SessionTimeout: 3 * time.Second,
			HeartbeatInterval: 200 * time.Millisecond},
	})
	c.Join(g.Context())
	return c
}

// await waits until so many members share everything, and checks that some of them have only lost or only gained
// partitions.
func (g *mixed) await(members int, sticky ...string) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), patience)
	defer cancel()
	seen, err := kafkatest.AwaitGroup(ctx, g.broker.Addr(), g.group, func(seen kafkatest.Group) bool {
		return seen.State == "Stable" && len(seen.Members) == members && seen.CheckAssignment(g.topic, mixedPartitions) == nil
	})
	if err != nil {
		g.Fatal(err)
	}
	after := map[string][]int32{}
	for _, m := range seen.Members {
		after[m.ClientID] = m.Assigned[g.topic]
		if len(after[m.ClientID]) != mixedPartitions/members {
			g.Errorf("of %d members, %s owns %v", members, m.ClientID, after[m.ClientID])
		}
	}
	for _, name := range sticky {
		fewer, more := after[name], g.before[name]
		if len(fewer) > len(more) {
			fewer, more = more, fewer
		}
		for _, p := range fewer {
			if !slices.Contains(more, p) {
				g.Errorf("of %d members, %s owns %v, and owned %v before", members, name, after[name], g.before[name])
				break
			}
		}
	}
	g.before = after
}

// TestStickyBesideJava: each side leads, and reads what the other one remembers. Eager members send it as user data (G-553),
// cooperative ones as what they own (G-555), and these get what others owned in a second round (G-510, G-564).
func TestStickyBesideJava(t *testing.T) {
	for strategy, a := range map[string]assignor.Assignor{
		"org.apache.kafka.clients.consumer.StickyAssignor":            assignor.Sticky{},
		"org.apache.kafka.clients.consumer.CooperativeStickyAssignor": assignor.CooperativeSticky{},
	} {
		t.Run(a.Name(), func(t *testing.T) {
			broker := kafkatest.Start(t, kafkatest.V4_4_0)
			g := &mixed{T: t, broker: broker, topic: broker.CreateTopic(t, mixedPartitions), group: kafkatest.Name(t), assignor: a}
			first := g.ours("first")
			g.await(1)
			kafkatest.StartConsumer(t, kafkatest.ConsumerConfig{Addr: broker.Addr(), Group: g.group, Topic: g.topic,
				Properties: map[string]string{"partition.assignment.strategy": strategy}})
			g.await(2, "first")
			g.ours("second")
			sticky := []string{"java", "first", "second"}
			g.await(3, sticky...)

			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := first.Close(ctx); err != nil { // so that Java leads, or the second
				t.Fatal(err)
			}
			g.await(2, sticky...)
			g.ours("third")
			g.await(3, sticky...)
		})
	}
}
