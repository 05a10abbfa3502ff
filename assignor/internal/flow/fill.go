package flow

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// fill hands out what sources have left, as far as that costs nothing and stays within the bounds. It has each source serve
// all its members, as evenly as the balance of the members allows: the ways through others, which then bring what is still
// amiss in order, know nothing of that. Sources that reach fewer members go first, as they have less choice.
func (s *solver) fill() {
	s.shares.adjust(s)
	arcs := func(n int32) int32 { return s.First[n+1] - s.First[n] }
	fewestFirst := slices.Clone(s.sources)
	slices.SortStableFunc(fewestFirst, func(a, b int32) int { return cmp.Compare(arcs(a), arcs(b)) })
	for _, n := range fewestFirst {
		for s.balance[n] > 0 && s.handOut(n) {
		}
	}
}

// handOut has a source serve the members that have room, and reports whether there are any. Fractions of units go to those
// members that can expect the least as yet.
func (s *solver) handOut(n int32) bool {
	shares := &s.shares
	left, total, open := s.balance[n], 0.0, shares.open[:0]
	first, last := s.First[n], s.First[n+1]
	for arc := first; arc < last; arc++ {
		if s.isOpen(arc) {
			open = append(open, int64(arc-first))
			total += shares.weight[s.To[arc]]
		}
	}
	shares.open = open
	for i, place := range open {
		arc := first + int32(place)
		m := s.To[arc]
		share := float64(left) * (shares.weight[m] / total)
		units := min(int64(share), s.room(m), s.balance[n])
		s.give(n, arc, int32(units))
		shares.expected[m] += float64(units) - share
		open[i] = int64(shares.expected[m]*fine)<<placeBits | place
	}
	few := int(min(int64(len(open)), s.balance[n]))
	lowest(open, few)
	for _, o := range open[:few] {
		arc := first + int32(o&(1<<placeBits-1))
		if m := s.To[arc]; s.room(m) > 0 {
			s.give(n, arc, 1)
			shares.expected[m]++
		}
	}
	return len(open) > 0
}

// lowest puts the lowest n numbers of a list first, by quickselect. Should that go badly, the rest is sorted.
func lowest(list []int64, n int) {
	for range 2 * bits.Len(uint(len(list))) {
		if n <= 0 || n >= len(list) {
			return
		}
		if low := divide(list); n <= low {
			list = list[:low]
		} else {
			list, n = list[low:], n-low
		}
	}
	slices.Sort(list)
}

// divide puts low numbers of a list first, and returns how many: not none, and not all. The numbers are two at least, and none
// is there twice.
func divide(list []int64) (low int) {
	first, middle, last := list[0], list[len(list)/2], list[len(list)-1]
	pivot := max(min(first, middle), min(max(first, middle), last))
	i, j := 0, len(list)-1
	for {
		for list[i] < pivot {
			i++
		}
		for list[j] > pivot {
			j--
		}
		if i >= j {
			return i
		}
		list[i], list[j] = list[j], list[i]
		i++
		j--
	}
}

// Members are compared by what they can expect, in fractions of a unit, and by their place, in one number. It has room for 1<<31
// units and for more members than can send metadata.
const (
	placeBits = 26
	fine      = 1 << 5
)

// shares is in what proportion sources serve the members of the part.
type shares struct {
	weight   []float64 // by member: its part of what a source has, relative to the parts of others
	wanted   []float64 // by member: how many units bring it to the average
	expected []float64 // by member: how many it gets as things are; when adjusted, how many more than wanted
	open     []int64   // used by handOut only
}

func newShares(members int) shares {
	return shares{
		weight:   make([]float64, members),
		wanted:   make([]float64, members),
		expected: make([]float64, members),
	}
}

const maxRounds = 30

// adjust finds weights by which all expect about what they want: those of members that expect too much shrink, others grow,
// time and again. It need not succeed: where the bounds of the part cannot be kept, it cannot.
func (sh *shares) adjust(s *solver) {
	for _, m := range s.members {
		sh.weight[m] = 1
		sh.wanted[m] = max(0, (float64(s.low)+float64(s.high))/2-float64(int64(s.load[m])+s.balance[s.member(m)]))
	}
	sh.expect(s)
	for range maxRounds {
		off := false
		for _, m := range s.members {
			off = off || math.Abs(sh.expected[m]-sh.wanted[m]) > max(1, sh.wanted[m]/100)
		}
		if !off {
			break
		}
		for _, m := range s.members {
			if sh.expected[m] > 0 {
				sh.weight[m] = min(max(sh.weight[m]*(sh.wanted[m]/sh.expected[m]), 1e-6), 1e6)
			}
		}
		sh.expect(s)
	}
	for _, m := range s.members {
		sh.expected[m] -= sh.wanted[m]
	}
}

// expect finds what members get by their weights.
func (sh *shares) expect(s *solver) {
	for _, m := range s.members {
		sh.expected[m] = 0
	}
	for _, n := range s.sources {
		if s.balance[n] <= 0 {
			continue
		}
		total := 0.0
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			if s.isOpen(arc) {
				total += sh.weight[s.To[arc]]
			}
		}
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			if s.isOpen(arc) {
				share := float64(s.balance[n]) * (sh.weight[s.To[arc]] / total) // by itself, so that no machine fuses it with the sum
				sh.expected[s.To[arc]] += share
			}
		}
	}
}

// isOpen reports whether an arc leads to a member that has room, where units cost nothing.
func (s *solver) isOpen(arc int32) bool {
	m := s.To[arc]
	return !s.far(arc) && s.room(m) > 0
}

// room is how many units more a member may get.
func (s *solver) room(m int32) int64 {
	return int64(s.high-s.load[m]) - s.balance[s.member(m)]
}

// give moves units of a source to a member that has room for them.
func (s *solver) give(n, arc, units int32) {
	m := s.To[arc]
	to, more := s.member(m), int64(units)
	s.Flow[arc] += units
	s.balance[n] -= more
	missing := min(more, -min(0, s.balance[to]))
	s.balance[to] += missing
	s.load[m] += int32(more - missing)
	s.balance[s.pool()] += more - missing
}
