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
	g.Flow = make([]int32, len(g.To))
	s := newSolver(g)
	for parts := []part{{Graph: *g}}; len(parts) > 0; {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		s.enter(p)
		cut, err := s.solve(ctx)
		if err != nil {
			return err
		}
		if cut {
			high, low := s.split()
			parts = append(parts, high, low)
			continue
		}
		for arc, inWhole := range p.inWhole {
			g.Flow[inWhole] = s.Flow[arc]
		}
	}
	return nil
}
