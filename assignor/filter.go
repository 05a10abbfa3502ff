package assignor

import (
	"context"
	"slices"
)

// Filter returns the part of a problem in which a member subscribes to a topic only if keep says so, which is called for each
// subscription. Members keep their indices, those without any subscription too; topics to which nobody is left to subscribe are
// not there, so topics have indices of their own. Another assignor's plan of it can be taken over by [Plan.Adopt].
func (p *Problem) Filter(keep func(member, topic int) bool) *Problem {
	part := &Problem{
		Members: slices.Clone(p.Members),
		Racks:   p.Racks, Generation: p.Generation, Previous: p.Previous, Leader: p.Leader, Self: p.Self,
		group: p.group, index: make([]int, len(p.index)), base: []int{0},
		whole: p,
	}
	kept := make([][]int, len(p.Members)) // by member, indices of p.Topics
	index := make([]int, len(p.Topics))   // from those to the part's
	for t := range index {
		index[t] = absent
	}
	for m := range p.Members {
		for _, t := range p.Classes[p.Members[m].Class].Topics {
			if keep(m, t) {
				kept[m] = append(kept[m], t)
				index[t] = 0
			}
		}
	}
	for t := range p.Topics {
		if index[t] != absent {
			index[t] = len(part.Topics)
			part.base = append(part.base, part.Partitions()+p.Topics[t].Partitions)
			part.Topics, part.ofAll = append(part.Topics, p.Topics[t]), append(part.ofAll, t)
		}
	}
	for n, t := range p.index {
		part.index[n] = absent
		if t != absent {
			part.index[n] = index[t]
		}
	}
	sets := numbering{numbers: map[string]int{}}
	for m := range part.Members {
		c := part.class(&sets, kept[m], index)
		part.Members[m].Class = c
		part.Classes[c].Members = append(part.Classes[c].Members, m)
		part.Members[m].Owned = nil
		for _, claim := range p.Members[m].Owned {
			if t := index[claim.Topic]; t != absent {
				part.Members[m].Owned = append(part.Members[m].Owned, Claim{int32(t), claim.Partition})
			}
		}
	}
	part.addSubscribers()
	part.offsets = &offsets{fetch: func(ctx context.Context, _ []Topic) ([][]Offsets, error) {
		all, err := p.Offsets(ctx)
		if err != nil {
			return nil, err
		}
		some := make([][]Offsets, len(part.ofAll))
		for t, of := range part.ofAll {
			some[t] = all[of]
		}
		return some, nil
	}}
	return part
}

// Adopt takes over another plan, of the same problem or of a part of it made by [Problem.Filter]: its partitions, what it withholds,
// its user data and its notes. As with Assign, each partition can be given once.
func (pl *Plan) Adopt(part *Plan) {
	p, from := pl.problem, part.problem
	if from != p && from.whole != p {
		pl.fail("%w: a plan of another problem: adopt one of the same, or of a part of it by Problem.Filter", ErrUnknown)
		return
	}
	if pl.fault == nil {
		pl.fault = part.fault
	}
	for t := range from.Topics {
		to := t
		if from != p {
			to = from.ofAll[t]
		}
		for q := range from.Topics[t].Partitions {
			m := part.Owner(t, q)
			if m == nobody {
				continue
			}
			pl.Assign(m, to, q)
			if part.Withheld(t, q) {
				pl.withhold(p.base[to] + q)
			}
		}
	}
	for m, data := range part.userData {
		if data != nil {
			pl.SetUserData(m, data)
		}
	}
	pl.notes.addAll(part.notes)
}
