package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// bench is what to measure.
type bench struct {
	sides    []side
	runs     int
	sizes    []int         // members of the group whose rebalances are timed
	groups   int           // groups of one member each
	crowd    int           // members of the group whose heartbeats are counted
	while    time.Duration // how long heartbeats are counted
	progress io.Writer
}

// run measures everything, run by run, and within a run each thing side by side, in another order each time: so what
// disturbs the machine for a while disturbs all sides.
func (b bench) run(ctx context.Context) (*table, error) {
	t := new(table)
	for _, s := range b.sides {
		t.sides = append(t.sides, s.name)
	}
	for run := range b.runs {
		fmt.Fprintf(b.progress, "run %d of %d\n", run+1, b.runs)
		if err := b.runOnce(ctx, t, run); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (b bench) runOnce(ctx context.Context, t *table, run int) error {
	for _, members := range b.sizes {
		for again := range max(1, min(10, 1000/members)) { // what is short varies most
			for i := range b.sides {
				if err := b.rebalances(ctx, t, (run+again+i)%len(b.sides), members); err != nil {
					return err
				}
			}
		}
	}
	for i := range b.sides {
		if err := b.throughput(ctx, t, (run+i)%len(b.sides)); err != nil {
			return err
		}
	}
	return nil
}

// rebalances adds the figures of one crowd on one side.
func (b bench) rebalances(ctx context.Context, t *table, side, members int) error {
	r, err := timeRebalances(ctx, b.sides[side], members)
	if err != nil {
		return fmt.Errorf("%s, %d members: %w", b.sides[side].name, members, err)
	}
	title := func(what string) string { return fmt.Sprintf("%d members: %s", members, what) }
	t.add(side, title("all join"), inTime, r.first.Seconds())
	t.add(side, title("generations that took"), asCount, float64(r.generations))
	t.add(side, title("one more joins"), inTime, r.join.Seconds())
	t.add(side, title("one leaves"), inTime, r.leave.Seconds())
	t.add(side, title("bare, all rejoin"), inTime, r.bare.Seconds())
	return nil
}

// throughput adds how much one side gets done.
func (b bench) throughput(ctx context.Context, t *table, side int) error {
	rate, err := timeCrowdHeartbeats(ctx, b.sides[side], b.crowd, b.while)
	if err != nil {
		return fmt.Errorf("%s, heartbeats of %d members: %w", b.sides[side].name, b.crowd, err)
	}
	t.add(side, fmt.Sprintf("%d members: heartbeats", b.crowd), asRate, rate)
	r, err := timeGroups(ctx, b.sides[side], b.groups, b.while)
	if err != nil {
		return fmt.Errorf("%s, %d groups: %w", b.sides[side].name, b.groups, err)
	}
	t.add(side, fmt.Sprintf("%d groups of one: all join", b.groups), inTime, r.all.Seconds())
	t.add(side, fmt.Sprintf("%d groups of one: heartbeats", b.groups), asRate, r.heartbeats)
	return nil
}
