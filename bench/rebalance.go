package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/joinsync/joinsync/protocol"
)

// rebalances are the figures of one crowd.
type rebalances struct {
	first       time.Duration // from the first join to all assigned
	generations int32         // that this took
	join, leave time.Duration // one more member, one less
	bare        time.Duration // all join again, without their client.Member
}

// timeRebalances lets a crowd of that many members join a fresh coordinator, one more member join, and one leave. Then
// the same members join once more without the code of a member around them.
func timeRebalances(ctx context.Context, s side, members int) (r rebalances, err error) {
	coordinator, err := s.begin(ctx)
	if err != nil {
		return r, err
	}
	c := newCrowd(coordinator)
	defer c.end()
	defer coordinator.close()
	if r.first, err = c.add(ctx, members); err != nil {
		return r, err
	}
	r.generations = c.generation()
	if r.join, err = c.add(ctx, 1); err != nil {
		return r, err
	}
	if r.leave, err = c.leave(ctx); err != nil {
		return r, err
	}
	r.bare, err = c.timeRejoin(ctx)
	return r, err
}

// timeRejoin returns how long it takes until all seats have joined again and are assigned, once the leader has begun.
func (c *crowd) timeRejoin(ctx context.Context) (took time.Duration, err error) {
	seats, err := c.seats(ctx)
	if err != nil {
		return 0, err
	}
	leader := 0
	for i, m := range c.members {
		if a, err := m.Join(ctx).Wait(ctx); err != nil {
			return 0, err
		} else if a.Leader {
			leader = i
		}
	}
	seats[0], seats[leader] = seats[leader], seats[0]
	for range 2 { // the first time to make connections
		if took, err = rejoin(ctx, seats); err != nil {
			return 0, fmt.Errorf("%d join again: %w", len(seats), err)
		}
	}
	return took, nil
}

// rejoin makes the leader join again, which starts a rebalance, and then all others, which ends it: so there is one
// generation, and each seat sends a heartbeat, a JoinGroup and a SyncGroup.
func rejoin(ctx context.Context, seats []*seat) (time.Duration, error) {
	began := time.Now()
	leads := make(chan error, 1)
	go func() { leads <- seats[0].join(ctx) }()
	others := seats[1:]
	for len(others) > 0 {
		runtime.Gosched() // the leader's turn
		if err := others[0].beat(ctx); errors.Is(err, protocol.RebalanceInProgress) {
			break
		} else if err != nil {
			return 0, err
		}
	}
	err := inParallel(len(others), func(i int) error {
		if err := others[i].beat(ctx); !errors.Is(err, protocol.RebalanceInProgress) {
			return fmt.Errorf("heartbeat in a rebalance: %w", err)
		}
		return others[i].join(ctx)
	})
	return time.Since(began), errors.Join(err, <-leads)
}
