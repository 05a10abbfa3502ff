package flow

import "context"

// solver is a graph with what it takes to solve it. Its nodes are the sources, then the members, then the pool: the node
// behind all members of a part, which takes each one's load within the bounds that are the same for all of them. By way
// of the pool one member gets the unit more that another does without.
//
// The flow of a part begins as what its members hold, which is of least cost for the loads that it makes. Where these are
// out of bounds, and where sources have units left, there is an excess or a deficit. Then units go from excesses to
// deficits, each time on the cheapest ways, which keeps the flow one of least cost; the potentials prove it.
type solver struct {
	*Graph
	backFirst  []int32 // by member, and one more: its first entry in back
	back       []int32 // the arcs by member
	backSource []int32 // their sources

	in      []int32 // by node: the number of its part
	parts   int32   // the highest number of a part
	current part

	farCost, moveCost int64 // what a unit costs that is far, and what one gains that a member has already; one that it rather gets gains 1

	low, high int32   // bounds of the loads in the current part
	load      []int32 // by member: what the pool takes of it
	balance   []int64 // by node: its excess if positive, its deficit if negative

	shares    shares
	potential []int64 // by node
	distance  []int64 // by node: of the shortest way that the search knows of
	hops      []int32 // by node: the number of that way's arcs
	hop       []int32 // by node: hops where the search is through with the node, else unreached
	settled   []int32 // the nodes that the search is through with
	next      []int32 // by node: the arc that augment goes on with, or that a circle comes by
	looked    int     // how many arcs even has looked at
	queue     queue
}

const unreached = -1

func newSolver(g *Graph) *solver {
	nodes := len(g.Supply) + g.Members + 1
	g.Flow = make([]int32, len(g.To))
	longest := int64(2*min(len(g.Supply), g.Members) + 4) // ways have no more arcs: even in comparing two, no lesser costs outweigh a greater one
	s := &solver{
		Graph:     g,
		farCost:   (2*longest + 1) * (2*longest + 1),
		moveCost:  2*longest + 1,
		in:        make([]int32, nodes),
		load:      make([]int32, g.Members),
		shares:    newShares(g.Members),
		balance:   make([]int64, nodes),
		potential: make([]int64, nodes),
		distance:  make([]int64, nodes),
		hops:      make([]int32, nodes),
		hop:       make([]int32, nodes),
		settled:   make([]int32, 0, nodes),
		next:      make([]int32, nodes),
	}
	s.turn()
	return s
}

// turn lists the arcs by member. Each member's list begins elsewhere, so that when all members have one unit to give, they do
// not all give it back to the same source, for one newcomer.
func (s *solver) turn() {
	s.backFirst = make([]int32, s.Members+1)
	for _, m := range s.To {
		s.backFirst[m+1]++
	}
	next := s.next[:s.Members]
	for m := range s.Members {
		count := s.backFirst[m+1]
		s.backFirst[m+1] += s.backFirst[m]
		next[m] = s.backFirst[m] + int32(m)%max(1, count)
	}
	s.back = make([]int32, len(s.To))
	s.backSource = make([]int32, len(s.To))
	for n := range s.Supply {
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			m := s.To[arc]
			s.back[next[m]], s.backSource[next[m]] = arc, int32(n)
			if next[m]++; next[m] == s.backFirst[m+1] {
				next[m] = s.backFirst[m]
			}
		}
	}
}

func (s *solver) member(m int32) int32 { return int32(len(s.Supply)) + m }
func (s *solver) pool() int32          { return int32(len(s.Supply) + s.Members) }
func (s *solver) far(arc int32) bool   { return s.Far != nil && s.Far[arc] }

// wanted is up to how many units of an arc are a gain.
func (s *solver) wanted(arc int32) int32 {
	if s.Warm == nil {
		return s.Held[arc]
	}
	return s.Held[arc] + s.Warm[arc]
}

// solve finds the flow of a part. Or it finds that there is none, as the loads of the part cannot be so even; the last
// search has then not reached all of the part.
func (s *solver) solve(ctx context.Context, p part) (cut bool, err error) {
	s.begin(p)
	s.fill()
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		switch s.search() {
		case nothingLeft:
			if s.Even {
				s.even()
			}
			return false, nil
		case noWay:
			return true, nil
		}
		s.augment()
	}
}

// begin sets the flow of a part to what its members hold or rather get, except from far.
func (s *solver) begin(p part) {
	s.current = p
	for _, m := range p.members {
		s.balance[s.member(m)], s.potential[s.member(m)] = 0, 0
	}
	total := int64(0)
	for _, n := range p.sources {
		total += int64(s.Supply[n])
		left := s.Supply[n]
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			s.Flow[arc] = 0
			if to := s.member(s.To[arc]); s.in[to] == p.number && !s.far(arc) {
				s.Flow[arc] = s.wanted(arc)
				s.balance[to] += int64(s.Flow[arc])
				left -= s.Flow[arc]
			}
		}
		s.balance[n], s.potential[n] = int64(left), 0
	}

	count := int64(max(1, len(p.members)))
	s.low = int32(total / count)
	s.high = int32((total + count - 1) / count)
	pool := s.pool()
	s.balance[pool], s.potential[pool] = -total, 0
	for _, m := range p.members {
		n := s.member(m)
		s.load[m] = int32(min(max(s.balance[n], int64(s.low)), int64(s.high)))
		s.balance[n] -= int64(s.load[m])
		s.balance[pool] += int64(s.load[m])
	}
}
