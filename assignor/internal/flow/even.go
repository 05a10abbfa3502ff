package flow

import "sort"

// maxEven bounds what even looks at, in arcs, in all parts together: it takes some milliseconds.
const maxEven = 1 << 21

// even lets units go around circles that cost nothing, as long as that lessens the sum of the squares of the flow. fill has come
// near to the least already.
func (s *solver) even() {
	for {
		n := s.findCircle()
		if n == unreached {
			return
		}
		s.turnCircle(n)
	}
}

// findCircle finds a node on a circle that makes things more even, by Bellman and Ford's algorithm; unreached if there is none,
// or it is too much work to find one.
func (s *solver) findCircle() int32 {
	for _, n := range s.sources {
		s.distance[n], s.next[n] = 0, nowhere
	}
	for _, m := range s.members {
		s.distance[s.member(m)], s.next[s.member(m)] = 0, nowhere
	}
	s.distance[s.pool()], s.next[s.pool()] = 0, nowhere
	for s.looked += len(s.To); s.looked <= maxEven; s.looked += len(s.To) {
		n := s.shortenAll()
		if n == unreached {
			return unreached
		}
		if n = s.goBack(n); n != unreached {
			return n
		}
	}
	return unreached
}

// shortenAll looks once whether any arc makes a way shorter, and returns a node that it is so for.
func (s *solver) shortenAll() (shorter int32) {
	shorter = unreached
	for _, n := range s.sources {
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			to := s.member(s.To[arc])
			if s.isFree(n, to, s.cost(arc)) && s.shorten(n, to, unevenness(s.Flow[arc]), arc) {
				shorter = to
			}
			if s.Flow[arc] > 0 && s.isFree(to, n, s.costBack(arc)) && s.shorten(to, n, -unevenness(s.Flow[arc]-1), arc) {
				shorter = n
			}
		}
	}
	pool := s.pool()
	for _, m := range s.members {
		n := s.member(m)
		if s.load[m] < s.high && s.isFree(n, pool, 0) && s.shorten(n, pool, 0, m) {
			shorter = pool
		}
		if s.load[m] > s.low && s.isFree(pool, n, 0) && s.shorten(pool, n, 0, fromPool) {
			shorter = n
		}
	}
	return shorter
}

// goBack goes the way to a node back for as many arcs as there are nodes, and so ends on a circle; unreached if the way
// begins before that.
func (s *solver) goBack(n int32) int32 {
	for range len(s.sources) + len(s.members) + 1 {
		if s.next[n] == nowhere {
			return unreached
		}
		n = s.before(n)
	}
	return n
}

// What a node is reached by where it is no arc: a member by way of the pool, or nothing yet.
const (
	fromPool = -1
	nowhere  = -2
)

// isFree reports whether a unit more on an arc of some cost keeps the flow one of least cost.
func (s *solver) isFree(from, to int32, cost int64) bool {
	return cost+s.potential[from] == s.potential[to]
}

// unevenness is what one unit more than so many adds to the squares.
func unevenness(units int32) int64 { return 2*int64(units) + 1 }

// shorten notes a way to a node if it is shorter than the one known, with the arc that it ends with.
func (s *solver) shorten(from, to int32, length int64, arc int32) bool {
	if s.distance[from]+length >= s.distance[to] {
		return false
	}
	s.distance[to] = s.distance[from] + length
	s.next[to] = arc
	return true
}

// before is the node from which a node was reached.
func (s *solver) before(n int32) int32 {
	arc := s.next[n]
	switch {
	case n == s.pool():
		return s.member(arc)
	case int(n) < len(s.Supply):
		return s.member(s.To[arc])
	case arc == fromPool:
		return s.pool()
	}
	return int32(sort.Search(len(s.First), func(i int) bool { return s.First[i] > arc })) - 1
}

// turnCircle moves one unit around the circle that a node is on.
func (s *solver) turnCircle(on int32) {
	for n := on; ; {
		arc := s.next[n]
		from := s.before(n)
		switch {
		case n == s.pool():
			s.load[arc]++
		case int(n) < len(s.Supply):
			s.Flow[arc]--
		case arc == fromPool:
			s.load[n-s.member(0)]--
		default:
			s.Flow[arc]++
		}
		if n = from; n == on {
			return
		}
	}
}
