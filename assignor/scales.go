package assignor

import (
	"cmp"
	"context"
	"slices"
)

// weighed is a partition with its weight.
type weighed struct {
	weight           int64
	topic, partition int32
}

// sortWeighed puts the heaviest first.
func sortWeighed(list []weighed) {
	slices.SortFunc(list, func(a, b weighed) int {
		if a.weight != b.weight {
			return cmp.Compare(b.weight, a.weight)
		}
		if a.topic != b.topic {
			return cmp.Compare(a.topic, b.topic)
		}
		return cmp.Compare(a.partition, b.partition)
	})
}

// byNeed splits such a list into partitions with weight and those without, which weigh the same from then on.
func byNeed(list []weighed) [2][]weighed {
	idle := len(list)
	for idle > 0 && list[idle-1].weight == 0 {
		idle--
		list[idle].weight = 1
	}
	return [2][]weighed{list[:idle], list[idle:]}
}

// scales share partitions out to those who have the least weight. Members of a class stand in one heap, so that a new
// weight changes the place of one member in one heap only, and those who subscribe to a topic are a few heaps.
type scales struct {
	problem *Problem
	loads   []load    // by member
	heaps   [][]int32 // by class: its members, the one with the least first
	place   []int32   // by member: where it is in its heap
	first   []load    // by class: of the first in its heap
	classes [][]int32 // by audience: the classes that it is made of
}

// load is what a member has been given: in this sharing out, and how many partitions in all.
type load struct {
	weight             int64
	partitions, member int32
}

// less is the order in which members are given something.
func (l *load) less(than *load) bool {
	switch {
	case l.weight != than.weight:
		return l.weight < than.weight
	case l.partitions != than.partitions:
		return l.partitions < than.partitions
	}
	return l.member < than.member
}

func newScales(p *Problem) *scales {
	s := &scales{
		problem: p,
		loads:   make([]load, len(p.Members)),
		heaps:   make([][]int32, len(p.Classes)),
		place:   make([]int32, len(p.Members)),
		first:   make([]load, len(p.Classes)),
		classes: make([][]int32, len(p.audiences)),
	}
	for c, class := range p.Classes {
		for i, m := range class.Members {
			s.heaps[c] = append(s.heaps[c], int32(m))
			s.place[m], s.loads[m].member = int32(i), int32(m)
		}
		for _, t := range class.Topics {
			list := &s.classes[p.audience[t]]
			if n := len(*list); n == 0 || (*list)[n-1] != int32(c) {
				*list = append(*list, int32(c))
			}
		}
	}
	return s
}

// bound says within what the members of a class keep what they own.
type bound struct {
	least, most int64 // that one of them is to have
	spare       int64 // how much they can still be given above the least, for enough to be left to bring all up to it
}

// bounds are those of what has just been shared out.
func (s *scales) bounds() []bound {
	bounds := make([]bound, len(s.heaps))
	for c, heap := range s.heaps {
		b := &bounds[c]
		b.least = s.first[c].weight
		for _, m := range heap {
			b.most = max(b.most, s.loads[m].weight)
			b.spare += s.loads[m].weight - b.least
		}
	}
	return bounds
}

// about reports whether members have about as much as they are to have.
func (b bound) about(should bound) bool {
	slack := should.least / 100
	return b.least >= should.least-slack && b.most <= should.most+slack
}

// above is how much of a weight, for one who has some already, comes to lie above the least.
func (b *bound) above(has, weight int64) int64 {
	return max(0, has+weight-max(has, b.least))
}

// share shares partitions out, the heaviest first. With bounds, owners keep what they own within these. It writes to owner, if
// that is not nil, who gets what.
func (s *scales) share(ctx context.Context, list []weighed, bounds []bound, owner []int32) error {
	p := s.problem
	s.reset()
	for n, part := range list {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i, m := p.base[part.topic]+int(part.partition), int32(nobody)
		if bounds != nil {
			m = owner[i]
		}
		if m != nobody {
			b, has := &bounds[p.Members[m].Class], s.loads[m].weight
			if has+part.weight > b.most || b.above(has, part.weight) > max(0, b.spare) {
				m = nobody
			}
		}
		if m == nobody {
			m = s.least(p.audience[part.topic])
		}
		if bounds != nil {
			b := &bounds[p.Members[m].Class]
			b.spare -= b.above(s.loads[m].weight, part.weight)
		}
		s.give(m, part.weight)
		if owner != nil {
			owner[i] = m
		}
	}
	return nil
}

// keep gives partitions to their owners, then those that have none, the heaviest first, to who has the least. These it writes to
// owner.
func (s *scales) keep(list []weighed, owner []int32) {
	p := s.problem
	s.reset()
	for _, part := range list {
		if m := owner[p.base[part.topic]+int(part.partition)]; m != nobody {
			s.give(m, part.weight)
		}
	}
	for _, part := range list {
		if m := &owner[p.base[part.topic]+int(part.partition)]; *m == nobody {
			*m = s.least(p.audience[part.topic])
			s.give(*m, part.weight)
		}
	}
}

// reset takes the weights away. The numbers of partitions stay.
func (s *scales) reset() {
	for m := range s.loads {
		s.loads[m].weight = 0
	}
	for c, heap := range s.heaps {
		for i := len(heap) - 1; i >= 0; i-- {
			s.sink(c, i)
		}
	}
}

// least finds who of an audience has the least.
func (s *scales) least(audience int) int32 {
	classes := s.classes[audience]
	best := &s.first[classes[0]]
	for _, c := range classes[1:] {
		if l := &s.first[c]; l.less(best) {
			best = l
		}
	}
	return best.member
}

// give gives a member a partition.
func (s *scales) give(m int32, weight int64) {
	s.loads[m].weight += weight
	s.loads[m].partitions++
	s.sink(s.problem.Members[m].Class, int(s.place[m]))
}

// sink moves a member that has got more to its place in the heap of its class.
func (s *scales) sink(class, i int) {
	heap := s.heaps[class]
	m := heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if right := child + 1; right < len(heap) && s.loads[heap[right]].less(&s.loads[heap[child]]) {
			child = right
		}
		if s.loads[m].less(&s.loads[heap[child]]) {
			break
		}
		heap[i] = heap[child]
		s.place[heap[i]] = int32(i)
		i = child
	}
	heap[i] = m
	s.place[m] = int32(i)
	s.first[class] = s.loads[heap[0]]
}
