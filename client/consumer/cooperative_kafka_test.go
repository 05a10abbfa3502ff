package consumer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

// TestCooperativeBesideJavaAndKgo: each of the three leads once. The topic grows, and the leader goes.
func TestCooperativeBesideJavaAndKgo(t *testing.T) {
	for _, crew := range [][]string{{"ours", "java", "kgo"}, {"java", "kgo", "ours"}, {"kgo", "ours", "java"}} {
		t.Run(crew[0]+" leads", func(t *testing.T) {
			t.Parallel()
			broker := kafkatest.Start(t, kafkatest.V4_4_0)
			g := &trio{T: t, addr: broker.Addr(), topic: broker.CreateTopic(t, 6), group: kafkatest.Name(t)}
			g.held = make(map[consumer.TopicPartition]bool)
			g.ctx, g.cancel = context.WithTimeout(t.Context(), 2*patience)
			defer g.cancel()
			start := map[string]func() (leave func()){"ours": g.ours, "java": g.java, "kgo": g.kgo}
			leader := start[crew[0]]()
			g.await(6, crew[:1]...)
			start[crew[1]]()
			g.await(6, crew[:2]...)
			start[crew[2]]()
			g.await(6, crew...)
			g.grow(9)
			g.await(9, crew...)
			leader()
			g.await(9, crew[1:]...)
			start[crew[0]]()
			g.await(9, crew...)
		})
	}
}

// trio is a cooperative group of our consumer, Java's and franz-go's on Kafka.
type trio struct {
	*testing.T
	addr, topic, group string
	ctx                context.Context
	cancel             context.CancelFunc
	held               map[consumer.TopicPartition]bool // by ours
}

func (g *trio) ours() (leave func()) {
	change := func(word string, holds bool) func(context.Context, []consumer.TopicPartition) {
		return func(_ context.Context, partitions []consumer.TopicPartition) {
			for _, p := range partitions {
				if g.held[p] == holds {
					g.Errorf("%v is %s twice", p, word)
				}
				g.held[p] = holds
			}
		}
	}
	c := newKafkaConsumer(g.T, g.addr, consumer.Config{
		Topics:         []string{g.topic},
		Assignors:      []assignor.Assignor{assignor.CooperativeSticky{}},
		MetadataMaxAge: time.Second,
		Member: client.Config{Group: g.group, ClientID: "ours", SessionTimeout: 3 * time.Second,
			HeartbeatInterval: 200 * time.Millisecond},
		OnAssigned: change("assigned", true), OnRevoked: change("revoked", false), // or lost, on leaving in the middle of a rebalance
	})
	c.Join(g.ctx)
	return func() {
		if err := c.Close(g.ctx); err != nil {
			g.Error(err)
		}
	}
}

func (g *trio) java() (leave func()) {
	cfg := kafkatest.ConsumerConfig{Addr: g.addr, Group: g.group, Topic: g.topic}
	cfg.Properties = map[string]string{
		"partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
		"metadata.max.age.ms":           "1000",
	}
	return kafkatest.StartConsumer(g, cfg).Kill
}

func (g *trio) kgo() (leave func()) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(g.addr), kgo.ClientID("kgo"), kgo.ConsumerGroup(g.group), kgo.ConsumeTopics(g.topic),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.SessionTimeout(3*time.Second), kgo.HeartbeatInterval(200*time.Millisecond),
		kgo.MetadataMinAge(100*time.Millisecond), kgo.MetadataMaxAge(time.Second))
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(cl.Close)
	return cl.Close
}

func (g *trio) grow(partitions int32) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(g.addr))
	if err != nil {
		g.Fatal(err)
	}
	defer cl.Close()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = g.topic, partitions
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.Topics = append(req.Topics, topic)
	if resp, err := req.RequestWith(g.ctx, cl); err != nil || resp.Topics[0].ErrorCode != 0 {
		g.Fatal(resp, err)
	}
}

// await waits until exactly these members share so many partitions, none having more than its part.
func (g *trio) await(partitions int32, crew ...string) {
	g.Helper()
	_, err := kafkatest.AwaitGroup(g.ctx, g.addr, g.group, func(seen kafkatest.Group) bool {
		if seen.State != "Stable" || seen.CheckAssignment(g.topic, partitions) != nil {
			return false
		}
		var names []string
		for _, m := range seen.Members {
			names = append(names, m.ClientID)
			if part := int(partitions) / len(crew); len(m.Assigned[g.topic]) > part+1 || len(m.Assigned[g.topic]) < part {
				return false
			}
		}
		slices.Sort(names)
		return slices.Equal(names, slices.Sorted(slices.Values(crew)))
	})
	if err != nil {
		g.Fatalf("%v: %v", crew, err)
	}
}
