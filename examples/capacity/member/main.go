// Member is a member of a group whose members take as much as they can. It prints what it owns until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/examples/capacity"
)

func main() {
	server := flag.String("bootstrap-server", "localhost:9092", "a broker of the cluster")
	group := flag.String("group", "billing", "the group to join")
	topic := flag.String("topic", "orders", "what to consume")
	able := flag.Uint("capacity", 1, "how much this member can take, from 1 to 255")
	flag.Parse()
	if *able < 1 || *able > 255 {
		log.Fatalf("-capacity is %d: give one from 1 to 255", *able)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *server, *group, *topic, capacity.ByCapacity(*able)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server, group, topic string, a assignor.Assignor) error {
	transport, err := kgotransport.New(kgo.SeedBrokers(server))
	if err != nil {
		return err
	}
	m, err := consumer.New(transport, consumer.Config{
		Member:     client.Config{Group: group, ClientID: "go"},
		Topics:     []string{topic},
		Assignors:  []assignor.Assignor{a},
		OnAssigned: func(_ context.Context, owned []consumer.TopicPartition) { fmt.Println("owns", owned) },
		OnRevoked:  func(context.Context, []consumer.TopicPartition) { fmt.Println("owns nothing") },
	})
	if err != nil {
		return err
	}
	m.Join(ctx)
	select {
	case <-ctx.Done():
	case <-m.Done(): // by an error
	}
	return m.Close(context.Background())
}
