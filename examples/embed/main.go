package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	c, err := coordinator.New(ctx, coordinator.Config{
		Topics:                coordinator.FixedTopics{"orders": 6}, // what there is to share, and in how many parts
		InitialRebalanceDelay: 100 * time.Millisecond,               // how long the first member waits for others
	})
	if err != nil {
		return err
	}
	defer c.Close()

	names := []string{"anna", "bert"}
	var joins []*client.Future[consumer.Assignment]
	for _, name := range names {
		m, err := consumer.New(c, consumer.Config{ // on a cluster: kgotransport.New(kgo.SeedBrokers("…")), not c
			Member: client.Config{Group: "billing", ClientID: name},
			Topics: []string{"orders"},
		})
		if err != nil {
			return err
		}
		defer m.Close(ctx)
		joins = append(joins, m.Join(ctx)) // futures; the members go on by themselves
	}
	for i, join := range joins {
		mine, err := join.Wait(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, names[i], "owns", mine.Partitions)
	}
	return nil
}
