package flow

import "slices"

// fill hands out what sources have left, as far as that costs nothing and stays within the bounds. It has each source serve
// all its members, as evenly as the balance of the members allows: the ways through others, which then bring what is still
// amiss in order, know nothing of that.
func (s *solver) fill() {
	shares := s.newShares()
	shares.adjust()
	for _, n := range s.current.sources {
		for s.balance[n] > 0 && s.handOut(n, shares) {
		}
	}
}

// handOut has a source serve the members that have room, and reports whether there are any. Fractions of units go to those
// members that can expect the least as yet.
func (s *solver) handOut(n int32, shares *shares) bool {
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
	if s.balance[n] > 0 {
		slices.Sort(open)
	}
	for _, o := range open[:min(int64(len(open)), s.balance[n])] {
		arc := first + int32(o&(1<<placeBits-1))
		if m := s.To[arc]; s.room(m) > 0 {
			s.give(n, arc, 1)
			shares.expected[m]++
		}
	}
	return len(open) > 0
}

// Members are sorted by what they can expect, in fractions of a unit, and by their place, in one number.
const (
	placeBits = 26
	fine      = 1 << 5
)

// shares is in what proportion sources serve their members.
type shares struct {
	*solver
	weight   []float64 // by member: its part of what a source has, relative to other members' parts
	wanted   []float64 // by member: how many units bring it to the average
	expected []float64 // by member: how many units more than wanted it gets, as things are
	open     []int64   // used by handOut only
}

func (s *solver) newShares() *shares {
	sh := &shares{
		solver:   s,
		weight:   make([]float64, s.Members),
		wanted:   make([]float64, s.Members),
		expected: make([]float64, s.Members),
	}
	for _, m := range s.current.members {
		sh.weight[m] = 1
		sh.wanted[m] = max(0, float64(s.low+s.high)/2-float64(int64(s.load[m])+s.balance[s.member(m)]))
	}
	return sh
}

const maxRounds = 30

// adjust finds weights by which everyone expects about what it wants: those of members that expect too much shrink, the others
// grow, time and again. It need not succeed: where the bounds cannot be kept, it cannot.
func (sh *shares) adjust() {
	for round := range maxRounds {
		sh.expect()
		off := false
		for _, m := range sh.current.members {
			wanted, expected := sh.wanted[m], sh.expected[m]
			off = off || expected > wanted*1.01+1 || expected < wanted*0.99-1
			if round < maxRounds-1 && expected > 0 {
				sh.weight[m] = min(max(sh.weight[m]*(wanted/expected), 1e-6), 1e6)
			}
		}
		if !off {
			break
		}
	}
	sh.expect()
	for _, m := range sh.current.members {
		sh.expected[m] -= sh.wanted[m]
	}
}

// expect finds what members get by their weights.
func (sh *shares) expect() {
	for _, m := range sh.current.members {
		sh.expected[m] = 0
	}
	for _, n := range sh.current.sources {
		if sh.balance[n] <= 0 {
			continue
		}
		total := 0.0
		for arc := sh.First[n]; arc < sh.First[n+1]; arc++ {
			if sh.isOpen(arc) {
				total += sh.weight[sh.To[arc]]
			}
		}
		if total == 0 {
			continue
		}
		each := float64(sh.balance[n]) / total
		for arc := sh.First[n]; arc < sh.First[n+1]; arc++ {
			if sh.isOpen(arc) {
				m := sh.To[arc]
				sh.expected[m] += float64(each * sh.weight[m]) // not fused, so that all machines agree
			}
		}
	}
}

// isOpen reports whether an arc leads to a member that has room, where units cost nothing.
func (s *solver) isOpen(arc int32) bool {
	m := s.To[arc]
	return s.in[s.member(m)] == s.current.number && !s.far(arc) && s.room(m) > 0
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
