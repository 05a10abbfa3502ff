package broker_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
)

// A broker within a test, and a client that takes it for Kafka.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := broker.Listen(ctx, broker.Config{
		Addr:        "127.0.0.1:0",
		Topics:      map[string]int32{"orders": 6},
		Coordinator: coordinator.Config{InitialRebalanceDelay: -1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close(ctx)

	client, err := kgo.NewClient(kgo.SeedBrokers(b.Advertised()), kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("orders"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("two coffees")}).FirstErr(); err != nil {
		fmt.Println(err)
		return
	}
	for _, record := range client.PollFetches(ctx).Records() {
		fmt.Printf("%s: %s\n", record.Topic, record.Value)
	}
	// Output: orders: two coffees
}
