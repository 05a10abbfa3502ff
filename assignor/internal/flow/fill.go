package flow

import "slices"

// fill hands out what sources have left, as long as that costs nothing and is within the bounds. It has a source serve its
// members alike, and gives the odd ones to those members who can expect the least, so that little is left to be moved
// about on ways through others, which know nothing of being alike.
func (s *solver) fill() {
	expects := s.expectations()
	var open []candidate
	for _, n := range s.current.sources {
		for s.balance[n] > 0 {
			open = s.open(open[:0], n, expects)
			if len(open) == 0 {
				break
			}
			left := int32(s.balance[n])
			share, odd := left/int32(len(open)), int(left)%len(open)
			if odd > 0 {
				slices.SortFunc(open, candidate.compare)
			}
			for i, c := range open {
				units := share
				if i < odd {
					units++
				}
				m := s.To[c.arc]
				units = int32(min(int64(units), s.room(m)))
				s.give(n, c.arc, units)
				expects[m] += int64(units)*fine - int64(left)*fine/int64(len(open))
			}
		}
	}
}

// fine is the grain of a unit in which shares are counted.
const fine = 1 << 20

// expectations is, by member, the load that it gets to when all sources share out what they have left evenly.
func (s *solver) expectations() []int64 {
	expects := make([]int64, s.Members)
	for _, m := range s.current.members {
		expects[m] = (int64(s.load[m]) + s.balance[s.member(m)]) * fine
	}
	var open []candidate
	for _, n := range s.current.sources {
		if s.balance[n] <= 0 {
			continue
		}
		open = s.open(open[:0], n, expects)
		for _, c := range open {
			expects[s.To[c.arc]] += s.balance[n] * fine / int64(len(open))
		}
	}
	return expects
}

// candidate is an arc to a member that may get more.
type candidate struct {
	expects int64
	arc     int32
}

func (c candidate) compare(o candidate) int {
	if c.expects != o.expects {
		if c.expects < o.expects {
			return -1
		}
		return 1
	}
	return int(c.arc - o.arc)
}

// open lists the arcs of a source to members that have room, where units cost nothing.
func (s *solver) open(dst []candidate, n int32, expects []int64) []candidate {
	for arc := s.First[n]; arc < s.First[n+1]; arc++ {
		m := s.To[arc]
		if s.in[s.member(m)] == s.current.number && !s.far(arc) && s.room(m) > 0 {
			dst = append(dst, candidate{expects[m], arc})
		}
	}
	return dst
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
