package assignor

import (
	"context"
	"fmt"
	"math"
)

// LagAware shares out lag: the records that the group has yet to read ([Problem.Offsets]), so that members that start again
// from there catch up at about the same time. It shares them out as [Weighted] does in a new group, with the same bound;
// partitions without lag evenly by number.
//
// It is eager, and takes no notice of what members owned: lag is another one in the next rebalance, so neither would
// the second one of a cooperative group follow from the first, nor does it help to stay where one was. Eager members commit
// before they join, which makes the lag exact.
//
// Where offsets are not known, or the brokers do not tell them in time, it returns that error. In most groups it is better
// to have some plan then: FallBack(LagAware{}, RoundRobin{}).
type LagAware struct {
	// Base is what a partition counts for besides its lag, in records: roughly what arrives between two rebalances. With
	// more of it the members' numbers of partitions are more even, with less of it their lags.
	Base int64
	// Latest says that the members begin at the end where nothing is committed, or what is not there any more
	// (auto.offset.reset=latest): such a partition has no lag. Otherwise its lag is all that its log holds.
	Latest bool
}

// Name returns "lag-aware".
func (LagAware) Name() string { return "lag-aware" }

// Supports returns Eager.
func (LagAware) Supports() RebalanceProtocol { return Eager }

// Assign makes the plan.
func (a LagAware) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	if a.Base < 0 {
		return fmt.Errorf("LagAware.Base is %d: use 0 or more", a.Base)
	}
	offsets, err := p.Offsets(ctx)
	if err != nil {
		return err
	}
	limit := math.MaxInt64 / int64(max(1, p.Partitions())) // so that the sum is an int64, whatever the brokers say
	base := min(a.Base, limit)
	return plan.weighOut(ctx, false, func(t, q int) int64 {
		o := offsets[t][q]
		if a.Latest && o.Committed < max(o.Start, 0) {
			return base
		}
		return base + min(o.Lag(), limit-base)
	})
}
