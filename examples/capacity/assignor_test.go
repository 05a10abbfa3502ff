package capacity

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
)

func TestByCapacity(t *testing.T) {
	assignortest.Check(t, ByCapacity(1), assignortest.Balanced(1)) // all of one capacity
}

// Who can take more gets more.
func ExampleByCapacity() {
	ctx := context.Background()
	c, err := coordinator.New(ctx, coordinator.Config{
		Topics:                coordinator.FixedTopics{"orders": 6},
		InitialRebalanceDelay: 100 * time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	var joins []*client.Future[consumer.Assignment]
	for _, capacity := range []ByCapacity{1, 2} {
		m, err := consumer.New(c, consumer.Config{
			Member:    client.Config{Group: "billing", ClientID: fmt.Sprintf("member-%d", capacity)},
			Topics:    []string{"orders"},
			Assignors: []assignor.Assignor{capacity},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer m.Close(ctx)
		joins = append(joins, m.Join(ctx))
	}
	for i, join := range joins {
		mine, err := join.Wait(ctx)
		fmt.Println("capacity", i+1, "owns", mine.Partitions, err)
	}
	// Output:
	// capacity 1 owns [orders-1 orders-4] <nil>
	// capacity 2 owns [orders-0 orders-2 orders-3 orders-5] <nil>
}
