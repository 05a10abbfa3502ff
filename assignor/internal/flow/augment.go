package flow

// augment sends as much as it can along the ways that the last search has found.
func (s *solver) augment() {
	for _, n := range s.settled {
		switch {
		case n == s.pool():
			s.next[n] = 0
		case int(n) < len(s.Supply):
			s.next[n] = s.First[n]
		default:
			s.next[n] = s.backFirst[n-s.member(0)]
		}
	}
	for _, n := range s.settled {
		if s.hop[n] == 0 {
			s.balance[n] -= s.send(n, s.balance[n])
		}
	}
}

// send sends units from a node on to deficits, and returns how many have come to one. As all ways found are of fewest
// arcs, they are no longer than there are nodes, and so is the recursion deep.
func (s *solver) send(n int32, units int64) int64 {
	if s.balance[n] < 0 {
		sent := min(units, -s.balance[n])
		s.balance[n] += sent
		return sent
	}
	switch {
	case n == s.pool():
		return s.sendFromPool(units)
	case int(n) < len(s.Supply):
		return s.sendFromSource(n, units)
	default:
		return s.sendFromMember(n-s.member(0), units)
	}
}

// onWay reports whether an arc of some cost is on one of the ways.
func (s *solver) onWay(from, to int32, cost int64) bool {
	return s.hop[to] == s.hop[from]+1 && cost+s.potential[from] == s.potential[to]
}

func (s *solver) sendFromSource(n int32, units int64) (sent int64) {
	last := s.First[n+1]
	for ; s.next[n] < last; s.next[n]++ {
		arc := s.next[n]
		to := s.member(s.To[arc])
		if s.hop[to] != s.hop[n]+1 || !s.onWay(n, to, s.cost(arc)) {
			continue
		}
		room := units - sent
		switch flow := s.Flow[arc]; { // as far as the cost is the same
		case flow < s.Held[arc]:
			room = min(room, int64(s.Held[arc]-flow))
		case flow < s.wanted(arc):
			room = min(room, int64(s.wanted(arc)-flow))
		}
		came := s.send(to, room)
		s.Flow[arc] += int32(came)
		if sent += came; sent == units {
			return sent
		}
	}
	return sent
}

func (s *solver) sendFromMember(m int32, units int64) (sent int64) {
	n, pool := s.member(m), s.pool()
	if s.load[m] < s.high && s.onWay(n, pool, 0) {
		sent = s.send(pool, min(units, int64(s.high-s.load[m])))
		s.load[m] += int32(sent)
		if sent == units {
			return sent
		}
	}
	for ; s.next[n] < s.backFirst[m+1]; s.next[n]++ {
		arc, to := s.back[s.next[n]], s.backSource[s.next[n]]
		flow := s.Flow[arc]
		if flow == 0 || !s.onWay(n, to, s.costBack(arc)) {
			continue
		}
		switch held, wanted := s.Held[arc], s.wanted(arc); {
		case flow > wanted:
			flow -= wanted
		case flow > held:
			flow -= held
		}
		came := s.send(to, min(units-sent, int64(flow)))
		s.Flow[arc] -= int32(came)
		if sent += came; sent == units {
			return sent
		}
	}
	return sent
}

func (s *solver) sendFromPool(units int64) (sent int64) {
	n := s.pool()
	for ; int(s.next[n]) < len(s.members); s.next[n]++ {
		m := s.members[s.next[n]]
		if s.load[m] == s.low || !s.onWay(n, s.member(m), 0) {
			continue
		}
		came := s.send(s.member(m), min(units-sent, int64(s.load[m]-s.low)))
		s.load[m] -= int32(came)
		if sent += came; sent == units {
			return sent
		}
	}
	return sent
}
