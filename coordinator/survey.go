package coordinator

import (
	"context"
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// survey looks through the groups of a partition, from outside its owner, and returns the ids of those that fit, and of those
// that wait for the store: what they will be is not known yet, and whoever asks them waits behind it.
func (p *partition) survey(ctx context.Context, fits func(*group.Group) bool) ([]string, error) {
	type result struct {
		groups []string
		phase  phase
	}
	done := make(chan result, 1)
	p.do(taskFunc(func() {
		r := result{phase: p.phase}
		for id, resident := range p.groups {
			if fits(resident.group) || resident.inFlight {
				r.groups = append(r.groups, id)
			}
		}
		done <- r
	}))
	select {
	case r := <-done:
		switch r.phase {
		case loading:
			return nil, fmt.Errorf("coordinator: partition %d: %w", p.index, protocol.CoordinatorLoadInProgress)
		case closed:
			return nil, ErrClosed
		}
		slices.Sort(r.groups)
		return r.groups, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
