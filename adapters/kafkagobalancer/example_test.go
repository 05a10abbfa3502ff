package kafkagobalancer_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// A reader of kafka-go that shares partitions by an assignor of joinsync.
func ExampleNew() {
	config := kafka.ReaderConfig{
		Brokers: []string{"localhost:9092"},
		GroupID: "billing",
		Topic:   "orders",
		GroupBalancers: []kafka.GroupBalancer{
			kafkagobalancer.New(assignor.Range{}, func(err error) { log.Fatal(err) }),
		},
	}
	fmt.Println("for kafka.NewReader:", config.GroupBalancers[0].ProtocolName(), config.Validate())
	// Output: for kafka.NewReader: range <nil>
}

// A member of joinsync that shares partitions by a balancer of kafka-go.
func ExampleAssignor() {
	ctx := context.Background()
	c, err := coordinator.New(ctx, coordinator.Config{Topics: coordinator.FixedTopics{"orders": 3}, InitialRebalanceDelay: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	balancer, err := kafkagobalancer.Assignor(kafka.RackAffinityGroupBalancer{Rack: "east"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := consumer.New(c, consumer.Config{
		Member:    client.Config{Group: "billing"},
		Topics:    []string{"orders"},
		Assignors: []assignor.Assignor{balancer},
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
