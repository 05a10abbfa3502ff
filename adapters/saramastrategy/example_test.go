package saramastrategy_test

import (
	"context"
	"fmt"
	"time"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// A consumer group of Sarama that shares partitions by an assignor of joinsync.
func ExampleNew() {
	config := sarama.NewConfig()
	config.Version = sarama.V4_0_0_0
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{
		saramastrategy.New(assignor.CooperativeSticky{}, saramastrategy.OnNotes(func(notes []assignor.Note) { sarama.Logger.Println(notes) })),
	}
	fmt.Println("for sarama.NewConsumerGroup:", config.Consumer.Group.Rebalance.GroupStrategies[0].Name(), config.Validate())
	// Output: for sarama.NewConsumerGroup: cooperative-sticky <nil>
}

// A member of joinsync that shares partitions by a strategy of Sarama.
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
		Assignors: []assignor.Assignor{saramastrategy.Assignor(sarama.NewBalanceStrategyRoundRobin)},
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
