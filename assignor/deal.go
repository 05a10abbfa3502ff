package assignor

// release takes from members what they had of an audience's sources beyond what they are to get. It takes from
// everywhere alike, not from the last topics only, as these would go to one newcomer as a whole.
func (s *sharing) release(a int) {
	g, p := &s.graph, s.plan.problem
	first := g.First[s.firstSource[a]]
	sums := s.releases(a)
	if sums == nil {
		return
	}
	for _, t := range s.topics[a] {
		for i := p.base[t]; i < p.base[t+1]; i++ {
			m := s.plan.owner[i]
			if m == nobody {
				continue
			}
			arc := g.First[s.source(a, i)] + s.position[m]
			if g.Flow[arc] >= g.Held[arc] {
				continue
			}
			sum := &sums[arc-first]
			*sum += int64(g.Held[arc] - g.Flow[arc])
			if *sum >= int64(g.Held[arc]) {
				*sum -= int64(g.Held[arc])
				s.plan.owner[i] = nobody
			}
		}
	}
}

// releases prepares, by arc, a sum that grows with each partition of the arc by what is to be released of them. When it
// comes to as many as there are, one is released. The sums begin so that members next to each other do not all release
// their first. It is nil if nothing is to be released.
func (s *sharing) releases(a int) (sums []int64) {
	g := &s.graph
	first, last := g.First[s.firstSource[a]], g.First[s.firstSource[a+1]]
	released := int64(0)
	for arc := first; arc < last; arc++ {
		held := int64(g.Held[arc])
		if more := held - int64(g.Flow[arc]); more > 0 {
			if sums == nil {
				sums = make([]int64, last-first)
			}
			sums[arc-first] = held - 1 - released%held
			released += more
		}
	}
	return sums
}

// deal gives the partitions of an audience that nobody has to the members that are to get more.
func (s *sharing) deal(a int) {
	p := s.plan.problem
	hands := make([][]int32, s.firstSource[a+1]-s.firstSource[a])
	for i := range hands {
		hands[i] = s.hand(a, s.firstSource[a]+int32(i))
	}
	for _, t := range s.topics[a] {
		owner := s.plan.owner[p.base[t]:p.base[t+1]]
		for i := range owner {
			if owner[i] == nobody {
				hand := &hands[s.source(a, p.base[t]+i)-s.firstSource[a]]
				owner[i] = (*hand)[0]
				*hand = (*hand)[1:]
			}
		}
	}
}

// hand is the order in which the free partitions of a source go to its members: in as many rounds as the one that gets
// most gets partitions, and each member takes part in as many of them, spread evenly, as it gets.
func (s *sharing) hand(a int, source int32) []int32 {
	g, members := &s.graph, s.plan.problem.audiences[a]
	first := g.First[source]
	rounds, total := int32(0), int32(0)
	for arc := first; arc < g.First[source+1]; arc++ {
		more := max(0, g.Flow[arc]-g.Held[arc])
		rounds = max(rounds, more)
		total += more
	}
	if total == 0 {
		return nil
	}
	next := make([]int32, rounds+1)
	for i := range members {
		s.takePart(first+int32(i), rounds, func(round int32) { next[round+1]++ })
	}
	for r := range rounds {
		next[r+1] += next[r]
	}
	hand := make([]int32, total)
	for i, m := range members {
		s.takePart(first+int32(i), rounds, func(round int32) {
			hand[next[round]] = int32(m)
			next[round]++
		})
	}
	return hand
}

// takePart yields the rounds in which the member of an arc takes part.
func (s *sharing) takePart(arc, rounds int32, yield func(round int32)) {
	more := int64(s.graph.Flow[arc] - s.graph.Held[arc])
	for i := range max(0, more) {
		yield(int32(i * int64(rounds) / more))
	}
}
