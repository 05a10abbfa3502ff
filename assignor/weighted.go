package assignor

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Weighted makes an assignor that shares out weight instead of numbers of partitions: each member gets about as much of it as
// the others that subscribe as it does, and keeps what it owns as far as that allows. Weight is what a partition costs
// whoever has it, in any unit: bytes a second, keys, records.
//
// The heaviest partition goes first, each to the subscriber that has the least weight so far (of several, to the one with the
// fewest partitions, then to the first). It stays with its owner instead where that leaves the members of its [Class]
// between the least and the most that one of them would have if nobody owned anything. So it is the lightest partitions that
// move. None does where all can keep theirs, and get the others, within a hundredth of that least and most. Where all
// subscribe alike, the most that one of n members has, but for that hundredth, is at most 4/3 - 1/(3n) times the least that
// it could be (Graham's bound for a new group; it holds whatever members own).
//
// Partitions without weight are shared out by themselves, by their number. Where all weights are equal, the plan is that of
// [CooperativeSticky]. Only then do racks count.
//
// In a cooperative group a partition changes hands in two rebalances (KIP-429). Eager members own nothing as they join, so
// nothing is sticky with them.
//
// Weight has to be the same for the same partition in all members and in both of these rebalances, and may be called
// concurrently. A negative weight, or a sum beyond an int64, is an error, and leaves the group without a plan ([FallBack]).
func Weighted(name string, weight func(topic string, partition int) int64) Assignor {
	return weighted{name, weight}
}

type weighted struct {
	name   string
	weight func(topic string, partition int) int64
}

// Name is the one that it was made with.
func (w weighted) Name() string { return w.name }

// Supports returns both protocols.
func (weighted) Supports() RebalanceProtocol { return Cooperative | Eager }

// Assign makes the plan.
func (w weighted) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	generations := make([]int32, len(p.Members))
	for m := range p.Members {
		generations[m] = p.Members[m].Generation
	}
	rivals := plan.takeClaims(generations, func(m int) []Claim { return p.Members[m].Owned })
	err := plan.weighOut(ctx, rivals, func(t, q int) int64 { return w.weight(p.Topics[t].Name, q) })
	plan.WithholdMoving()
	return err
}

// weighOut turns a plan of the previous owners, of whom some had rivals or none, into one of about equal weights; see [Weighted].
//
// Two rounds of cooperative members are enough. If in the first all keep what they own and nobody else claims any of the
// rest, nothing is withheld, and there is no second one. Otherwise the first is a sharing out within bounds. In the second,
// either all keep what they own, and nobody has to give anything up; or it is a sharing out within bounds too, and ends
// as the first, as there is nothing in the scales but what partitions before have put there. Say that these have come to
// the same members in both rounds. If the next one stayed with its owner in the first, it has the same owner in the
// second, and stays again. If it was given to the one with the least, that one now owns it, and keeps it or is given it as
// the one with the least; or it was withheld and nobody owns it, and it is given to the same one.
func (pl *Plan) weighOut(ctx context.Context, rivals bool, weight func(topic, partition int) int64) error {
	list, err := pl.weigh(weight)
	if err != nil {
		return err
	}
	if n := len(list); n == 0 || list[0].weight == list[n-1].weight {
		return pl.shareOut(ctx, false)
	}
	owned, foreign := pl.dropForeign()
	parts, bounds := byNeed(list), [2][]bound{}
	if owned {
		fresh := newScales(pl.problem)
		for i, part := range parts {
			if err := fresh.share(ctx, part, nil, nil); err != nil {
				return err
			}
			bounds[i] = fresh.bounds()
		}
		if !rivals && !foreign && pl.keepAll(parts, bounds) {
			return nil
		}
	}
	final := newScales(pl.problem)
	for i, part := range parts {
		if err := final.share(ctx, part, bounds[i], pl.owner); err != nil {
			return err
		}
	}
	return nil
}

// keepAll leaves to all members what they own, and gives the rest, heaviest first, to those with the least. It does so only if
// that is about as even as the bounds.
func (pl *Plan) keepAll(parts [2][]weighed, bounds [2][]bound) bool {
	s, owner := newScales(pl.problem), slices.Clone(pl.owner)
	for i, part := range parts {
		s.keep(part, owner)
		if !slices.EqualFunc(s.bounds(), bounds[i], bound.about) {
			return false
		}
	}
	pl.owner = owner
	return true
}

// weigh lists all partitions, heaviest first.
func (pl *Plan) weigh(weight func(topic, partition int) int64) ([]weighed, error) {
	p := pl.problem
	list, total := make([]weighed, 0, p.Partitions()), int64(0)
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			w := weight(t, q)
			switch {
			case w < 0:
				return nil, fmt.Errorf("partition %d of topic %q weighs %d: use 0 or more", q, topic.Name, w)
			case w > math.MaxInt64-total:
				return nil, fmt.Errorf("partition %d of topic %q, which weighs %d, brings the sum of the weights above %d: use a larger unit",
					q, topic.Name, w, math.MaxInt64)
			}
			total += w
			list = append(list, weighed{w, int32(t), int32(q)})
		}
	}
	sortWeighed(list)
	return list, nil
}

// dropForeign forgets owners that do not subscribe any more. It reports whether there were such, and whether there are others.
func (pl *Plan) dropForeign() (owned, foreign bool) {
	p := pl.problem
	for t := range p.Topics {
		for i := p.base[t]; i < p.base[t+1]; i++ {
			switch m := pl.owner[i]; {
			case m == nobody:
			case pl.subscribes(int(m), t):
				owned = true
			default:
				foreign = true
				pl.owner[i] = nobody
			}
		}
	}
	return owned, foreign
}
