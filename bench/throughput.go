package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/joinsync/joinsync/protocol"
)

// clients is how many sessions share the load of many groups.
const clients = 64

// seatGroup returns the name of one of many groups.
func seatGroup(n int) string { return fmt.Sprint("group-", n) }

// groupRates are the figures of many groups with one member each.
type groupRates struct {
	all        time.Duration // until all are assigned
	heartbeats float64       // in a second, by all of them in turn
}

// timeGroups makes that many groups, and then sends heartbeats in all of them for a while.
func timeGroups(ctx context.Context, s side, groups int, while time.Duration) (r groupRates, err error) {
	coordinator, err := s.begin(ctx)
	if err != nil {
		return r, err
	}
	defer coordinator.close()
	seats := make([][]*seat, clients)
	began := time.Now()
	err = inParallel(clients, func(i int) error {
		session, err := coordinator.Open(ctx, protocol.Identity{ClientID: "bench"})
		if err != nil {
			return err
		}
		for n := i; n < groups; n += clients {
			s := &seat{session: session, group: seatGroup(n)}
			if err := s.join(ctx); err != nil {
				return err
			}
			seats[i] = append(seats[i], s)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	r.all = time.Since(began)
	r.heartbeats, err = heartbeatRate(ctx, seats, while)
	return r, err
}

// timeCrowdHeartbeats returns the heartbeats in a second of one group with that many members, each over a session of
// its own and as soon as its last one is answered.
func timeCrowdHeartbeats(ctx context.Context, s side, members int, while time.Duration) (float64, error) {
	coordinator, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	c := newCrowd(coordinator)
	defer c.end()
	defer coordinator.close()
	if _, err := c.add(ctx, members); err != nil {
		return 0, err
	}
	seats, err := c.seats(ctx)
	if err != nil {
		return 0, err
	}
	var each [][]*seat
	for _, s := range seats {
		each = append(each, []*seat{s})
	}
	return heartbeatRate(ctx, each, while)
}

// heartbeatRate sends heartbeats for a while, in one goroutine for each list of seats, and returns how many there were
// in a second.
func heartbeatRate(ctx context.Context, seats [][]*seat, while time.Duration) (float64, error) {
	var sent atomic.Int64
	began := time.Now()
	err := inParallel(len(seats), func(i int) error {
		for n := 0; time.Since(began) < while; n++ {
			if err := seats[i][n%len(seats[i])].beat(ctx); err != nil {
				return err
			}
			sent.Add(1)
		}
		return nil
	})
	return float64(sent.Load()) / time.Since(began).Seconds(), err
}

// inParallel runs fn n times, each in a goroutine of its own, and returns the first error.
func inParallel(n int, fn func(i int) error) error {
	var running sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		running.Go(func() { errs <- fn(i) })
	}
	running.Wait()
	for range n {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}
