package consumer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// A consumer joins a group, is assigned the partitions of a topic, and commits an offset. The coordinator is one in this
// process; with kgotransport.New in its place the same lines work on a Kafka cluster.
func Example() {
	ctx := context.Background()
	coord, err := coordinator.New(ctx, coordinator.Config{
		Topics:                coordinator.FixedTopics{"orders": 3},
		InitialRebalanceDelay: -1, // nobody else is coming
	})
	if err != nil {
		log.Fatal(err)
	}
	defer coord.Close()

	c, err := consumer.New(coord, consumer.Config{
		Member:     client.Config{Group: "billing"},
		Topics:     []string{"orders"},
		OnAssigned: func(_ context.Context, p []consumer.TopicPartition) { fmt.Println("assigned", p) },
		OnRevoked:  func(_ context.Context, p []consumer.TopicPartition) { fmt.Println("revoked", p) },
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := c.Join(ctx).Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	next := map[consumer.TopicPartition]consumer.Offset{a.Partitions[0]: {At: 42}}
	if err := c.Commit(ctx, next); err != nil {
		log.Fatal(err)
	}
	committed, err := c.Committed(ctx, a.Partitions...)
	fmt.Println("committed", committed, err)
	if err := c.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// assigned [orders-0 orders-1 orders-2]
	// committed map[orders-0:{42 0 }] <nil>
	// revoked [orders-0 orders-1 orders-2]
}
