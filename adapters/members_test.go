package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
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
	"github.com/joinsync/joinsync/examples/capacity"
)

const (
	heartbeat = 200 * time.Millisecond
	session   = 6 * time.Second
)

// member is one of a group, in a process of its own.
type member struct {
	broker, group, topic, clientID string
	assignor                       assignor.Assignor
	books                          *books
}

// makes are what members can be of: what joins, and leaves when ctx is done.
var makes = map[string]func(ctx context.Context, m member) error{
	"joinsync": beOurs, "kgo": beKgo, "sarama": beSarama, "kafka-go": beKafkaGo,
}

// beMember is a member as its command line says: make, assignor, capacity, ledger, broker, group, topic and client id.
func beMember(ctx context.Context, args []string) error {
	able, err := strconv.ParseUint(args[2], 10, 8)
	if err != nil {
		return err
	}
	books, err := openBooks(args[3], args[7])
	if err != nil {
		return err
	}
	a := leading{assignors(byte(able))[args[1]], books}
	return makes[args[0]](ctx, member{broker: args[4], group: args[5], topic: args[6], clientID: args[7], assignor: a, books: books})
}

// assignors are those that groups are tested with, by name, as they are in a member of a capacity.
func assignors(able byte) map[string]assignor.Assignor {
	all := map[string]assignor.Assignor{}
	for _, a := range []assignor.Assignor{assignor.Range{}, assignor.CooperativeSticky{}, capacity.ByCapacity(able)} {
		all[a.Name()] = a
	}
	return all
}

// leading tells the books that its member leads.
type leading struct {
	assignor.Assignor
	books *books
}

func (l leading) UserData(last assignor.Assignment) []byte {
	if a, ok := l.Assignor.(assignor.UserDataAssignor); ok {
		return a.UserData(last)
	}
	return nil
}

func (l leading) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	l.books.lead()
	return l.Assignor.Assign(ctx, p, plan)
}

// beOurs is a static member, which keeps its place, and be it the leader's, when it is back soon.
func beOurs(ctx context.Context, m member) error {
	transport, err := kgotransport.New(kgo.SeedBrokers(m.broker))
	if err != nil {
		return err
	}
	list := func(partitions []consumer.TopicPartition) (list []int32) {
		for _, p := range partitions {
			list = append(list, p.Partition)
		}
		return list
	}
	c, err := consumer.New(transport, consumer.Config{
		Member: client.Config{Group: m.group, ClientID: m.clientID, InstanceID: instance(m.clientID),
			HeartbeatInterval: heartbeat, SessionTimeout: session},
		Topics:     []string{m.topic},
		Assignors:  []assignor.Assignor{m.assignor},
		OnAssigned: func(_ context.Context, p []consumer.TopicPartition) { m.books.take(list(p)...) },
		OnRevoked:  func(_ context.Context, p []consumer.TopicPartition) { m.books.give(list(p)...) },
	})
	if err != nil {
		return err
	}
	c.Join(ctx)
	select {
	case <-ctx.Done():
	case <-c.Done():
	}
	return c.Close(context.Background())
}

func beKgo(ctx context.Context, m member) error {
	take := func(_ context.Context, _ *kgo.Client, p map[string][]int32) { m.books.take(p[m.topic]...) }
	give := func(_ context.Context, _ *kgo.Client, p map[string][]int32) { m.books.give(p[m.topic]...) }
	b := kgobalancer.New(m.assignor)
	c, err := kgo.NewClient(kgo.SeedBrokers(m.broker), kgo.ClientID(m.clientID), kgo.ConsumerGroup(m.group), kgo.ConsumeTopics(m.topic),
		kgo.Balancers(b), kgo.WithHooks(b), kgo.HeartbeatInterval(heartbeat), kgo.SessionTimeout(session),
		kgo.OnPartitionsAssigned(take), kgo.OnPartitionsRevoked(give), kgo.OnPartitionsLost(give))
	if err != nil {
		return err
	}
	<-ctx.Done()
	c.Close()
	return nil
}

func beSarama(ctx context.Context, m member) error {
	config := sarama.NewConfig()
	config.Version = sarama.V4_0_0_0
	config.ClientID = m.clientID
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{saramastrategy.New(m.assignor)}
	config.Consumer.Group.Heartbeat.Interval, config.Consumer.Group.Session.Timeout = heartbeat, session
	group, err := sarama.NewConsumerGroup([]string{m.broker}, m.group, config)
	if err != nil {
		return err
	}
	for ctx.Err() == nil { // one session after the other
		if err := group.Consume(ctx, []string{m.topic}, saramaHandler{m.books}); err != nil && ctx.Err() == nil {
			return errors.Join(err, group.Close())
		}
	}
	return group.Close()
}

type saramaHandler struct{ books *books }

// Setup implements sarama.ConsumerGroupHandler.
func (saramaHandler) Setup(sarama.ConsumerGroupSession) error { return nil }

// Cleanup implements sarama.ConsumerGroupHandler.
func (saramaHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim implements sarama.ConsumerGroupHandler: it is at work for as long as it has not returned.
func (h saramaHandler) ConsumeClaim(_ sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	if h.books != nil {
		h.books.take(claim.Partition())
		defer h.books.give(claim.Partition())
	}
	for range claim.Messages() { // there are none, until it is closed
	}
	return nil
}

func beKafkaGo(ctx context.Context, m member) error {
	b := kafkagobalancer.New(m.assignor, func(err error) { fmt.Fprintln(os.Stderr, err) })
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: m.group, Brokers: []string{m.broker}, Topics: []string{m.topic}, Dialer: &kafka.Dialer{ClientID: m.clientID, Timeout: session},
		GroupBalancers:    []kafka.GroupBalancer{b},
		HeartbeatInterval: heartbeat, SessionTimeout: session, JoinGroupBackoff: heartbeat,
	})
	if err != nil {
		return err
	}
	for {
		generation, err := group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return group.Close()
		case err != nil:
			fmt.Fprintln(os.Stderr, err) // it joins again by itself
		default:
			b.Assigned(generation)
			generation.Start(func(ctx context.Context) {
				if ctx.Err() != nil {
					return // over before it has begun
				}
				var list []int32
				for _, p := range generation.Assignments[m.topic] {
					list = append(list, int32(p.ID))
				}
				m.books.take(list...)
				defer m.books.give(list...)
				<-ctx.Done()
			})
		}
	}
}
