package flow

// outcome is what a search has found.
type outcome int

const (
	nothingLeft outcome = iota // no excess: the flow is found
	noWay                      // no way from what is in excess to any deficit
	someWay
)

// search finds the cheapest ways from all excesses to the nearest deficits, and of these the ones of fewest arcs, by
// Dijkstra's algorithm: the potentials keep costs from being negative. It brings the potentials up to date, after which
// the arcs of the ways found cost nothing.
func (s *solver) search() outcome {
	s.queue = s.queue[:0]
	for _, n := range s.sources {
		s.start(n)
	}
	for _, m := range s.members {
		s.start(s.member(m))
	}
	s.start(s.pool())
	if len(s.queue) == 0 {
		return nothingLeft
	}
	found, nearest := false, int64(0)
	s.settled = s.settled[:0]
	for len(s.queue) > 0 {
		w := s.queue.pop()
		if found && w.distance > nearest {
			break
		}
		if s.hop[w.to] != unreached {
			continue // a shorter way has been found
		}
		s.hop[w.to] = w.hops
		s.settled = append(s.settled, w.to)
		if s.balance[w.to] < 0 {
			found, nearest = true, w.distance
			continue
		}
		s.relax(w)
	}
	if !found {
		return noWay
	}
	for _, n := range s.settled {
		s.potential[n] += s.distance[n] - nearest
	}
	return someWay
}

// start prepares a node for a search, and begins with it if it has an excess.
func (s *solver) start(n int32) {
	s.hop[n] = unreached
	s.distance[n] = unknown
	s.hops[n] = 0
	if s.balance[n] > 0 {
		s.distance[n] = 0
		s.queue.push(way{to: n})
	}
}

// relax goes on from a node to all others that it has a way to.
func (s *solver) relax(w way) {
	pool := s.pool()
	switch {
	case w.to == pool:
		for _, m := range s.members {
			if s.load[m] > s.low {
				s.reach(w, s.member(m), 0)
			}
		}
	case int(w.to) < len(s.Supply):
		s.relaxSource(w)
	default:
		m := w.to - s.member(0)
		if s.load[m] < s.high {
			s.reach(w, pool, 0)
		}
		for i := s.backFirst[m]; i < s.backFirst[m+1]; i++ {
			arc, n := s.back[i], s.backSource[i]
			if s.Flow[arc] > 0 {
				s.reach(w, n, s.costBack(arc))
			}
		}
	}
}

func (s *solver) relaxSource(w way) {
	first, last := s.First[w.to], s.First[w.to+1]
	member := s.member(0)
	for i, m := range s.To[first:last] {
		if to := member + m; s.hop[to] == unreached {
			s.reach(w, to, s.cost(first+int32(i)))
		}
	}
}

// reach notes a way to a node by an arc of some cost if it is the shortest so far.
func (s *solver) reach(from way, to int32, cost int64) {
	distance := from.distance + cost + s.potential[from.to] - s.potential[to]
	if distance < s.distance[to] || distance == s.distance[to] && from.hops+1 < s.hops[to] {
		s.distance[to], s.hops[to] = distance, from.hops+1
		s.queue.push(way{distance, from.hops + 1, to})
	}
}

// cost is what one unit more on an arc costs.
func (s *solver) cost(arc int32) int64 {
	var cost int64
	if s.far(arc) {
		cost = s.farCost
	}
	switch flow := s.Flow[arc]; {
	case flow < s.Held[arc]:
		cost -= s.moveCost
	case flow < s.wanted(arc):
		cost--
	}
	return cost
}

// costBack is what one unit less on an arc costs.
func (s *solver) costBack(arc int32) int64 {
	var cost int64
	if s.far(arc) {
		cost = -s.farCost
	}
	switch flow := s.Flow[arc]; {
	case flow <= s.Held[arc]:
		cost += s.moveCost
	case flow <= s.wanted(arc):
		cost++
	}
	return cost
}
