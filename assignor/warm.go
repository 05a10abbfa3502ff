package assignor

// countWarm counts the partitions that nobody has and that a member is rather to have than others.
func (s *sharing) countWarm(b int, run stretch) {
	if s.warm == nil {
		return
	}
	warm := s.graph.Warm[s.graph.First[run.source]:]
	for i, m := range run.owner {
		if m == nobody {
			if at := s.warmPlace(b, run.first+i); at >= 0 {
				warm[at]++
			}
		}
	}
}

// takeOver gives the partitions of a block that nobody has to the members that are rather to have them, as far as the flow gives
// them more than they have.
func (s *sharing) takeOver(b int) {
	if s.warm == nil {
		return
	}
	g := &s.graph
	for run := range s.stretches(b) {
		first := g.First[run.source]
		for i, m := range run.owner {
			if m != nobody {
				continue
			}
			at := s.warmPlace(b, run.first+i)
			if arc := first + int32(at); at >= 0 && g.Held[arc] < g.Flow[arc] {
				g.Held[arc]++
				run.owner[i] = s.warm[run.first+i]
			}
		}
	}
}

// warmPlace is the place of the member that is rather to have a partition; -1 if there is none.
func (s *sharing) warmPlace(b, partition int) int {
	if m := s.warm[partition]; m != nobody {
		return s.place(b, m)
	}
	return -1
}
