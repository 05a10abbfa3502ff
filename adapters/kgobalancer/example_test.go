package kgobalancer_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// A client of franz-go that shares partitions by an assignor of joinsync.
func ExampleNew() {
	b := kgobalancer.New(assignor.CooperativeSticky{}, kgobalancer.OnNotes(func(notes []assignor.Note) { fmt.Println(notes) }))
	options := []kgo.Opt{
		kgo.SeedBrokers("localhost:9092"),
		kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics("orders"),
		kgo.Balancers(b),
		kgo.WithHooks(b), // for assignors that listen to assignments
	}
	fmt.Println(len(options), "options for kgo.NewClient:", b.ProtocolName(), "is cooperative:", b.IsCooperative())
	// Output: 5 options for kgo.NewClient: cooperative-sticky is cooperative: true
}

// A member of joinsync that shares partitions by a balancer of franz-go.
func ExampleAssignor() {
	ctx := context.Background()
	c, err := coordinator.New(ctx, coordinator.Config{Topics: coordinator.FixedTopics{"orders": 3}, InitialRebalanceDelay: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	m, err := consumer.New(c, consumer.Config{
		Member:    client.Config{Group: "billing"},
		Topics:    []string{"orders"},
		Assignors: []assignor.Assignor{kgobalancer.Assignor(kgo.RoundRobinBalancer())},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close(ctx)
	mine, err := m.Join(ctx).Wait(ctx)
	fmt.Println(mine.Partitions, err)
	// Output: [orders-0 orders-1 orders-2] <nil>
}
