package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// wholeTopics keeps the partitions of a topic together: each topic goes to the subscriber that has the fewest
// partitions so far.
var wholeTopics = assignor.Simple("whole-topics", func(partitions map[string]int, members map[string][]string) (map[string][]assignor.TopicPartition, error) {
	plan := map[string][]assignor.TopicPartition{}
	for _, topic := range slices.Sorted(maps.Keys(partitions)) {
		idlest := ""
		for _, member := range slices.Sorted(maps.Keys(members)) {
			if slices.Contains(members[member], topic) && (idlest == "" || len(plan[member]) < len(plan[idlest])) {
				idlest = member
			}
		}
		for p := range partitions[topic] {
			plan[idlest] = append(plan[idlest], assignor.TopicPartition{Topic: topic, Partition: p})
		}
	}
	return plan, nil
})

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	c, err := coordinator.New(ctx, coordinator.Config{
		Topics:                coordinator.FixedTopics{"clicks": 4, "orders": 2, "views": 3},
		InitialRebalanceDelay: 100 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	defer c.Close()
	names := []string{"anna", "bert"}
	var joins []*client.Future[consumer.Assignment]
	for _, name := range names {
		m, err := consumer.New(c, consumer.Config{
			Member:    client.Config{Group: "billing", ClientID: name},
			Topics:    []string{"clicks", "orders", "views"},
			Assignors: []assignor.Assignor{wholeTopics},
		})
		if err != nil {
			return err
		}
		defer m.Close(ctx)
		joins = append(joins, m.Join(ctx))
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
