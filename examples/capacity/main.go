package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

// byCapacity gives a member of capacity 2 twice as many partitions as one of capacity 1. Its value is the capacity of the member
// that it is configured in.
type byCapacity byte

func (byCapacity) Name() string                         { return "by-capacity" }
func (byCapacity) Supports() assignor.RebalanceProtocol { return assignor.Eager }

// UserData tells the leader, whoever that is, the member's capacity.
func (c byCapacity) UserData(assignor.Assignment) []byte { return []byte{byte(c)} }

// Assign gives each partition to the subscriber that will be least loaded with it.
func (byCapacity) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	capacity, load := make([]int, len(p.Members)), make([]int, len(p.Members))
	for m, member := range p.Members {
		capacity[m] = 1
		if len(member.UserData) == 1 && member.UserData[0] > 0 {
			capacity[m] = int(member.UserData[0])
		} else {
			plan.Note(assignor.Note{Member: member.ID, Text: "it tells no capacity: it is taken to be 1"})
		}
	}
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			subscribers := p.Subscribers(t)
			best := subscribers[0]
			for _, m := range subscribers[1:] {
				if (load[m]+1)*capacity[best] < (load[best]+1)*capacity[m] {
					best = m
				}
			}
			plan.Assign(best, t, q)
			load[best]++
		}
	}
	return nil
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
	var joins []*client.Future[consumer.Assignment]
	for _, capacity := range []byCapacity{1, 2} {
		m, err := consumer.New(c, consumer.Config{
			Member:    client.Config{Group: "billing", ClientID: fmt.Sprintf("member-%d", capacity)},
			Topics:    []string{"orders"},
			Assignors: []assignor.Assignor{capacity},
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
		fmt.Fprintln(out, "capacity", i+1, "owns", mine.Partitions)
	}
	return nil
}
