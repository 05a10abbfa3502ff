package assignor

import "slices"

// release takes from members what they had of a block's sources beyond what they are to get. It takes from
// everywhere alike, not from the last topics only, as these would go to one newcomer as a whole.
func (s *sharing) release(b int) {
	g := &s.graph
	first := g.First[s.firstSource[b]]
	sums := s.releases(b)
	if sums == nil {
		return
	}
	for run := range s.stretches(b) {
		for i, m := range run.owner {
			if m == nobody {
				continue
			}
			arc := g.First[run.source] + s.position[m]
			if g.Flow[arc] >= g.Held[arc] {
				continue
			}
			sum := &sums[arc-first]
			*sum += int64(g.Held[arc] - g.Flow[arc])
			if *sum >= int64(g.Held[arc]) {
				*sum -= int64(g.Held[arc])
				s.take(run.first + i)
			}
		}
	}
}

// releases prepares, by arc, a sum that grows with each partition of the arc by what is to be released of them. When it
// comes to as many as there are, one is released. The sums begin so that members next to each other do not all release
// their first. It is nil if nothing is to be released.
func (s *sharing) releases(b int) (sums []int64) {
	g := &s.graph
	first, last := g.First[s.firstSource[b]], g.First[s.firstSource[b+1]]
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

// deal gives the partitions of a block that nobody has to the members that are to get more.
func (s *sharing) deal(b int) {
	first, last := s.firstSource[b], s.firstSource[b+1]
	s.hands = s.hands[:0]
	for n := first; n < last; n++ {
		s.next[n] = len(s.hands)
		s.addHand(b, n)
	}
	if len(s.hands) == 0 {
		return
	}
	for run := range s.stretches(b) {
		for i, m := range run.owner {
			if m == nobody {
				run.owner[i] = s.hands[s.next[run.source]]
				s.next[run.source]++
			}
		}
	}
}

// addHand appends to hands the members that get free partitions of a source, in the order in which these are dealt: in as
// many rounds as the one that gets most gets partitions, and each member takes part in as many of them, spread evenly, as
// it gets.
func (s *sharing) addHand(b int, source int32) {
	g, members := &s.graph, s.blocks[b].members
	first := g.First[source]
	rounds, total := int32(0), int32(0)
	for arc := first; arc < g.First[source+1]; arc++ {
		more := max(0, g.Flow[arc]-g.Held[arc])
		rounds = max(rounds, more)
		total += more
	}
	if total == 0 {
		return
	}
	s.rounds = append(s.rounds[:0], make([]int32, rounds+1)...)
	for i := range members {
		s.takePart(first+int32(i), rounds, func(round int32) { s.rounds[round+1]++ })
	}
	for r := range rounds {
		s.rounds[r+1] += s.rounds[r]
	}
	begin := len(s.hands)
	s.hands = slices.Grow(s.hands, int(total))[:begin+int(total)]
	hand := s.hands[begin:]
	for i, m := range members {
		s.takePart(first+int32(i), rounds, func(round int32) {
			hand[s.rounds[round]] = int32(m)
			s.rounds[round]++
		})
	}
}

// takePart yields the rounds in which the member of an arc takes part.
func (s *sharing) takePart(arc, rounds int32, yield func(round int32)) {
	more := s.graph.Flow[arc] - s.graph.Held[arc]
	if more <= 0 {
		return
	}
	round, whole, part, carry := int32(0), rounds/more, rounds%more, int32(0)
	for range more {
		yield(round)
		round += whole
		if carry += part; carry >= more {
			carry -= more
			round++
		}
	}
}
