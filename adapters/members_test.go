package adapters_test

import (
	"context"
	"errors"
	"time"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

const (
	heartbeat = 200 * time.Millisecond
	session   = 10 * time.Second
)

// A start starts a member of a make by an assignor of ours, and returns what ends it, as its users would.
type start func(l *ledger, clientID string, a assignor.Assignor) (leave func())

var makes = map[string]start{"joinsync": startOurs, "kgo": startKgo, "sarama": startSarama, "kafka-go": startKafkaGo, "java": startJava}

// startOurs starts a static member, which keeps its place, and be it the leader's, when it is back soon.
func startOurs(l *ledger, clientID string, a assignor.Assignor) func() {
	transport, err := kgotransport.New(kgo.SeedBrokers(l.addr))
	if err != nil {
		l.t.Fatal(err)
	}
	list := func(partitions []consumer.TopicPartition) (list []int32) {
		for _, p := range partitions {
			list = append(list, p.Partition)
		}
		return list
	}
	m, err := consumer.New(transport, consumer.Config{
		Member:     client.Config{Group: l.group, ClientID: clientID, InstanceID: "first", HeartbeatInterval: heartbeat, SessionTimeout: session},
		Topics:     []string{l.topic},
		Assignors:  []assignor.Assignor{a},
		OnAssigned: func(_ context.Context, p []consumer.TopicPartition) { l.take(clientID, list(p)...) },
		OnRevoked:  func(_ context.Context, p []consumer.TopicPartition) { l.give(clientID, list(p)...) },
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = m.Close(context.Background()) })
	m.Join(l.t.Context())
	return func() {
		if err := m.Close(l.t.Context()); err != nil {
			l.t.Error(err)
		}
	}
}

func startKgo(l *ledger, clientID string, a assignor.Assignor) func() {
	take := func(_ context.Context, _ *kgo.Client, p map[string][]int32) { l.take(clientID, p[l.topic]...) }
	give := func(_ context.Context, _ *kgo.Client, p map[string][]int32) { l.give(clientID, p[l.topic]...) }
	c, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.ClientID(clientID), kgo.ConsumerGroup(l.group), kgo.ConsumeTopics(l.topic),
		kgo.Balancers(kgobalancer.New(a)), kgo.HeartbeatInterval(heartbeat), kgo.SessionTimeout(session),
		kgo.OnPartitionsAssigned(take), kgo.OnPartitionsRevoked(give), kgo.OnPartitionsLost(give))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(c.Close)
	return c.Close
}

func startSarama(l *ledger, clientID string, a assignor.Assignor) func() {
	config := sarama.NewConfig()
	config.Version = sarama.V4_0_0_0
	config.ClientID = clientID
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{saramastrategy.New(a)}
	config.Consumer.Group.Heartbeat.Interval, config.Consumer.Group.Session.Timeout = heartbeat, session
	group, err := sarama.NewConsumerGroup([]string{l.addr}, l.group, config)
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil { // one session after the other
			if err := group.Consume(ctx, []string{l.topic}, saramaHandler{l, clientID}); err != nil && ctx.Err() == nil {
				l.t.Error(err)
				return
			}
		}
	}()
	leave := func() {
		cancel()
		<-ended
		if err := group.Close(); err != nil {
			l.t.Error(err)
		}
	}
	l.t.Cleanup(leave)
	return leave
}

type saramaHandler struct {
	ledger   *ledger
	clientID string
}

// Setup implements sarama.ConsumerGroupHandler.
func (saramaHandler) Setup(sarama.ConsumerGroupSession) error { return nil }

// Cleanup implements sarama.ConsumerGroupHandler.
func (saramaHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim implements sarama.ConsumerGroupHandler: it is at work for as long as it has not returned.
func (h saramaHandler) ConsumeClaim(_ sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	h.ledger.take(h.clientID, claim.Partition())
	defer h.ledger.give(h.clientID, claim.Partition())
	for range claim.Messages() { // there are none, until it is closed
	}
	return nil
}

func startKafkaGo(l *ledger, clientID string, a assignor.Assignor) func() {
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: l.group, Brokers: []string{l.addr}, Topics: []string{l.topic}, Dialer: &kafka.Dialer{ClientID: clientID, Timeout: session},
		GroupBalancers:    []kafka.GroupBalancer{kafkagobalancer.New(a, func(err error) { l.t.Error(err) })},
		HeartbeatInterval: heartbeat, SessionTimeout: session, JoinGroupBackoff: heartbeat,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			generation, err := group.Next(context.Background())
			switch {
			case errors.Is(err, kafka.ErrGroupClosed):
				return
			case err != nil:
				l.t.Logf("%s: %v", clientID, err) // it joins again by itself
			default:
				generation.Start(func(ctx context.Context) {
					if ctx.Err() != nil {
						return // over before it has begun
					}
					var list []int32
					for _, p := range generation.Assignments[l.topic] {
						list = append(list, int32(p.ID))
					}
					l.take(clientID, list...)
					defer l.give(clientID, list...)
					<-ctx.Done()
				})
			}
		}
	}()
	leave := func() {
		if err := group.Close(); err != nil {
			l.t.Error(err)
		}
		<-ended
	}
	l.t.Cleanup(leave)
	return leave
}

func startJava(l *ledger, clientID string, a assignor.Assignor) func() {
	class := map[string]string{"range": "Range", "cooperative-sticky": "CooperativeSticky"}[a.Name()]
	c := kafkatest.StartConsumer(l.t, kafkatest.ConsumerConfig{
		Addr: l.addr, Group: l.group, Topic: l.topic, ClientID: clientID, SessionTimeout: session,
		Properties: map[string]string{
			"heartbeat.interval.ms":         "200",
			"partition.assignment.strategy": "org.apache.kafka.clients.consumer." + class + "Assignor",
		},
	})
	return func() {
		if err := c.Leave(); err != nil {
			l.t.Error(err)
		}
	}
}
