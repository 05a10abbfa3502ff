package assignor

import (
	"context"

	"github.com/joinsync/joinsync/assignor/internal/flow"
)

// sharing makes a sticky plan. As far as balance, nearness and moves go, partitions with the same subscribers and the same
// racks are alike, but for their owner: they are one source of a flow to these subscribers. When the flow says how many
// each member gets of each source, the partitions are dealt out accordingly.
type sharing struct {
	plan  *Plan
	near  *nearby // nil if racks do not matter
	graph flow.Graph

	topics      [][]int // by audience
	firstSource []int32 // by audience, and one more
	setOf       []int32 // by source: its set of racks

	position []int32 // by member: its place in the audience under way, or anything
	sourceOf []int32 // by set of racks: its source in the audience under way, or anything
	hands    []int32 // the members who get free partitions of the sources of the audience under way
	next     []int   // by source: the one in hands who gets the next partition
	rounds   []int32 // by round of dealing: where those who take part begin in hands
}

// maxArcs bounds what racks may cost, as members say in which racks they are: with enough racks, no two partitions are alike.
const maxArcs = 1 << 24

// shareOut turns a plan of the previous owners into the plan.
func (pl *Plan) shareOut(ctx context.Context) error {
	p := pl.problem
	s := &sharing{plan: pl, near: newNearby(p), position: make([]int32, len(p.Members)), topics: make([][]int, len(p.audiences))}
	for t, a := range p.audience {
		s.topics[a] = append(s.topics[a], t)
	}
	arcs := s.arcs()
	if arcs > maxArcs && s.near != nil {
		pl.Note(Note{Text: "the racks are too many to go by: this plan does without them"})
		s.near = nil
		arcs = s.arcs()
	}
	s.build(arcs)
	if err := s.graph.Solve(ctx); err != nil {
		return err
	}
	s.next = make([]int, len(s.graph.Supply))
	for a := range p.audiences {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.enter(a)
		s.release(a)
		s.deal(a)
	}
	pl.list = nil
	return nil
}

// arcs counts the arcs that the graph will have.
func (s *sharing) arcs() int {
	count := 0
	for a, members := range s.plan.problem.audiences {
		count += len(members) * len(s.sets(a))
	}
	return count
}

// sets lists the sets of racks that the partitions of an audience are in; one of no meaning if racks do not matter.
func (s *sharing) sets(a int) []int32 {
	if s.near == nil {
		return []int32{0}
	}
	var sets []int32
	seen := make(map[int32]bool)
	base := s.plan.problem.base
	for _, t := range s.topics[a] {
		for _, set := range s.near.set[base[t]:base[t+1]] {
			if !seen[set] {
				seen[set] = true
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// build makes the graph.
func (s *sharing) build(arcs int) {
	p := s.plan.problem
	s.graph = flow.Graph{Members: len(p.Members), First: []int32{0}, To: make([]int32, 0, arcs), Held: make([]int32, arcs)}
	s.firstSource = []int32{0}
	if s.near != nil {
		s.graph.Far = make([]bool, 0, arcs)
		s.sourceOf = make([]int32, len(s.near.sets))
	}
	for a := range p.audiences {
		for _, set := range s.sets(a) {
			s.setOf = append(s.setOf, set)
			s.addSource(a, set)
		}
		s.firstSource = append(s.firstSource, int32(len(s.graph.Supply)))
		s.count(a)
	}
}

func (s *sharing) addSource(a int, set int32) {
	g := &s.graph
	for _, m := range s.plan.problem.audiences[a] {
		g.To = append(g.To, int32(m))
		if s.near != nil {
			g.Far = append(g.Far, s.near.far(int32(m), set))
		}
	}
	g.Supply = append(g.Supply, 0)
	g.First = append(g.First, int32(len(g.To)))
}

// enter prepares for going through the partitions of an audience.
func (s *sharing) enter(a int) {
	for i, m := range s.plan.problem.audiences[a] {
		s.position[m] = int32(i)
	}
	for n := s.firstSource[a]; n < s.firstSource[a+1] && s.near != nil; n++ {
		s.sourceOf[s.setOf[n]] = n
	}
}

// source is the one that a partition of the audience under way belongs to.
func (s *sharing) source(a, partition int) int32 {
	if s.near == nil {
		return s.firstSource[a]
	}
	return s.sourceOf[s.near.set[partition]]
}

// count counts the partitions of each source, and how many of them its members had. Owners that do not subscribe any more
// had none.
func (s *sharing) count(a int) {
	g, p := &s.graph, s.plan.problem
	s.enter(a)
	for _, t := range s.topics[a] {
		for i := p.base[t]; i < p.base[t+1]; i++ {
			n := s.source(a, i)
			g.Supply[n]++
			m := s.plan.owner[i]
			if m == nobody {
				continue
			}
			if at := int(s.position[m]); at < len(p.audiences[a]) && p.audiences[a][at] == int(m) {
				g.Held[int(g.First[n])+at]++
			} else {
				s.plan.owner[i] = nobody
			}
		}
	}
}
