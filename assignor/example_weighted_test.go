package assignor_test

import (
	"context"
	"fmt"

	"github.com/joinsync/joinsync/assignor"
)

// solved prints what an assignor gives two members of the topic orders, which has four partitions.
func solved(a assignor.Assignor, offsets assignor.OffsetsFunc) {
	plan, err := assignor.Solve(context.Background(), a, exampleJoin("orders"), assignor.Cluster{
		Topics:  []assignor.Topic{{Name: "orders", Partitions: 4}},
		Offsets: offsets,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, member := range plan.Problem().Members {
		fmt.Print(member.ID, ":")
		for topic, partition := range plan.Partitions(m) {
			fmt.Print(" ", plan.Problem().Topics[topic].Name, "-", partition)
		}
		fmt.Println()
	}
}

// One partition has as much traffic as the other three.
func ExampleWeighted() {
	megabytes := map[string][]int64{"orders": {5, 20, 8, 7}} // a second
	byTraffic := assignor.Weighted("by-traffic", func(topic string, partition int) int64 { return megabytes[topic][partition] })
	solved(byTraffic, nil)
	// Output:
	// a: orders-1
	// b: orders-0 orders-2 orders-3
}

// The group has fallen behind on two partitions, so each member gets one of these. Where nobody tells offsets, there is a plan all
// the same.
func ExampleLagAware() {
	a := assignor.FallBack(assignor.LagAware{}, assignor.RoundRobin{})
	solved(a, func(context.Context, []assignor.Topic) ([][]assignor.Offsets, error) {
		return [][]assignor.Offsets{{
			{Committed: 100, End: 5100}, {Committed: 40, End: 40}, {Committed: -1, End: 4900}, {Committed: 70, End: 71},
		}}, nil
	})
	solved(a, nil)
	// Output:
	// a: orders-0 orders-1
	// b: orders-2 orders-3
	// a: orders-0 orders-2
	// b: orders-1 orders-3
}
