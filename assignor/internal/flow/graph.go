package flow

import "context"

// Graph is what there is to share out, and the answer.
//
// An arc is a pair of a source and a member that it reaches. The arcs of source s are First[s] to First[s+1]-1.
type Graph struct {
	Members int
	Supply  []int32 // by source: its units
	First   []int32 // by source, and one more: its first arc
	To      []int32 // by arc: the member; ascending, without doubles, within a source
	Held    []int32 // by arc: how many units the member has already; those of a source are not more than its supply
	Warm    []int32 // by arc: how many more of them rather go to the member than to another; with Held, not more than the supply; nil if none
	Far     []bool  // by arc: whether each of its units costs more than all moves together; nil if none does
	Even    bool    // whether each source, besides, is to serve its members as evenly as all this allows

	Flow []int32 // by arc: how many units the member gets
}

// Solve fills Flow. It fails only when ctx is done. The units of a source without arcs stay with it.
func (g *Graph) Solve(ctx context.Context) error {
	s := newSolver(g)
	parts := []part{s.whole()}
	for len(parts) > 0 {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		cut, err := s.solve(ctx, p)
		if err != nil {
			return err
		}
		if cut {
			high, low := s.split(p)
			parts = append(parts, high, low)
		}
	}
	return nil
}

// part is a set of sources with the members that they serve.
type part struct {
	number  int32
	sources []int32
	members []int32 // those among whom the loads are even
}

// whole is the part to begin with. Sources and members without arcs are in none.
func (s *solver) whole() part {
	var p part
	for n := range s.Supply {
		if s.First[n] < s.First[n+1] {
			p.sources = append(p.sources, int32(n))
		}
	}
	for m := range s.Members {
		if s.backFirst[m] < s.backFirst[m+1] {
			p.members = append(p.members, int32(m))
		}
	}
	return p
}

// split divides a part along the cut that the last search has found. What the search reached has more units than its
// members may take, or takes of them; none of its sources reaches out of it, and in an even sharing the other sources do
// not reach into it.
func (s *solver) split(p part) (high, low part) {
	s.parts++
	high, low = part{number: s.parts}, part{number: p.number}
	for _, n := range p.sources {
		if s.hop[n] != unreached {
			high.sources = append(high.sources, n)
			s.in[n] = high.number
		} else {
			low.sources = append(low.sources, n)
		}
	}
	for _, m := range p.members {
		if n := s.member(m); s.hop[n] != unreached {
			high.members = append(high.members, m)
			s.in[n] = high.number
		} else {
			low.members = append(low.members, m)
		}
	}
	return high, low
}
