package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// worker is a member that has, for each partition that it owns or follows, a copy of its state.
type worker struct {
	*consumer.Consumer
	name    string
	follows []consumer.TopicPartition
	copies  map[consumer.TopicPartition]bool
	report  chan<- string
}

// onStandby comes first: what the worker is to follow from now on.
func (w *worker) onStandby(topics []protocol.TopicPartitions) {
	w.follows = nil
	for _, topic := range topics {
		for _, partition := range topic.Partitions {
			w.follows = append(w.follows, consumer.TopicPartition{Topic: topic.Topic, Partition: partition})
		}
	}
}

// onAssigned comes after each rebalance. Only now it is known which copies are of no use any more: not in OnRevoked, as the worker
// may go on to follow what it has owned.
func (w *worker) onAssigned(_ context.Context, added []consumer.TopicPartition) {
	warm := 0
	for _, p := range added {
		if w.copies[p] {
			warm++ // work goes on at once; for the others the state has to be made first
		}
	}
	owns := w.Assignment().Partitions
	w.copies = make(map[consumer.TopicPartition]bool)
	for _, p := range slices.Concat(owns, w.follows) {
		w.copies[p] = true // a real one keeps what it has, and makes the rest in the background
	}
	w.report <- fmt.Sprintf("%s owns %v and follows %v; %d new, %d of them warm", w.name, owns, w.follows, len(added), warm)
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	c, err := coordinator.New(ctx, coordinator.Config{
		Topics:                coordinator.FixedTopics{"orders": 6},
		InitialRebalanceDelay: 100 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	defer c.Close()

	report := make(chan string, 10)
	var workers []*worker
	for _, name := range []string{"anna", "bert", "carl"} {
		w := &worker{name: name, report: report}
		w.Consumer, err = consumer.New(c, consumer.Config{
			Member:     client.Config{Group: "billing", InstanceID: name, SessionTimeout: 6 * time.Second},
			Topics:     []string{"orders"},
			Assignors:  []assignor.Assignor{assignor.Standby{OnStandby: w.onStandby}},
			OnAssigned: w.onAssigned,
		})
		if err != nil {
			return err
		}
		defer w.Close(ctx)
		w.Join(ctx)
		workers = append(workers, w)
	}
	if err := printAll(ctx, out, report, 3); err != nil {
		return err
	}
	// A static member that ends does not leave: to the group it is as if its process had been killed.
	if err := workers[1].Close(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "bert is gone")
	return printAll(ctx, out, report, 2)
}

// printAll prints what so many workers report of one rebalance.
func printAll(ctx context.Context, out io.Writer, report <-chan string, workers int) error {
	var lines []string
	for range workers {
		select {
		case line := <-report:
			lines = append(lines, line)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	return nil
}
