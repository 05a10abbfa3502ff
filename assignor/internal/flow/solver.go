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
	part
	sources, members []int32 // those that have arcs
	backFirst        []int32 // by member, and one more: its first entry in back
	back             []int32 // the arcs by member
	backSource       []int32 // their sources

	farCost, moveCost int64 // what a unit costs that is far, and what one gains that a member has already; one that it rather gets gains 1

	low, high int32   // bounds of the loads
	load      []int32 // by member: what the pool takes of it
	balance   []int64 // by node: its excess if positive, its deficit if negative

	shares    shares
	potential []int64 // by node
	distance  []int64 // by node: of the shortest way that the search knows of
	hops      []int32 // by node: the number of that way's arcs
	hop       []int32 // by node: hops where the search is through with the node, else unreached
	settled   []int32 // the nodes that the search is through with
	next      []int32 // by node: the arc that augment goes on with, or that a circle comes by
	looked    int     // how many arcs even has looked at, in all parts together
	queue     queue
}

const unreached = -1

// newSolver makes what is needed for a graph, and is enough for every part of it.
func newSolver(g *Graph) *solver {
	nodes := len(g.Supply) + g.Members + 1
	longest := int64(2*min(len(g.Supply), g.Members) + 4) // ways have no more arcs: even in comparing two, no lesser costs outweigh a greater one
	return &solver{
		sources:    make([]int32, 0, len(g.Supply)),
		members:    make([]int32, 0, g.Members),
		backFirst:  make([]int32, g.Members+1),
		back:       make([]int32, len(g.To)),
		backSource: make([]int32, len(g.To)),
		farCost:    (2*longest + 1) * (2*longest + 1),
		moveCost:   2*longest + 1,
		load:       make([]int32, g.Members),
		shares:     newShares(g.Members),
		balance:    make([]int64, nodes),
		potential:  make([]int64, nodes),
		distance:   make([]int64, nodes),
		hops:       make([]int32, nodes),
		hop:        make([]int32, nodes),
		settled:    make([]int32, 0, nodes),
		next:       make([]int32, nodes),
	}
}

// enter goes on to a part.
func (s *solver) enter(p part) {
	if s.part = p; s.Flow == nil {
		s.Flow = make([]int32, len(s.To))
	}
	s.turn()
	s.sources, s.members = s.sources[:0], s.members[:0]
	for n := range s.Supply {
		if s.First[n] < s.First[n+1] {
			s.sources = append(s.sources, int32(n))
		}
	}
	for m := range s.Members {
		if s.backFirst[m] < s.backFirst[m+1] {
			s.members = append(s.members, int32(m))
		}
	}
}

// turn lists the arcs by member. Each member's list begins elsewhere, so that when all members have one unit to give, they do
// not all give it back to the same source, for one newcomer.
func (s *solver) turn() {
	first := s.backFirst[:s.Members+1]
	clear(first)
	for _, m := range s.To {
		first[m+1]++
	}
	next := s.next[:s.Members]
	for m := range next {
		count := first[m+1]
		first[m+1] += first[m]
		next[m] = first[m] + int32(m)%max(1, count)
	}
	for n := range s.Supply {
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			m := s.To[arc]
			s.back[next[m]], s.backSource[next[m]] = arc, int32(n)
			if next[m]++; next[m] == first[m+1] {
				next[m] = first[m]
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

// solve finds the flow of the part. Or it finds that there is none, as the loads cannot be so even; the last search has then
// not reached all of the part.
func (s *solver) solve(ctx context.Context) (cut bool, err error) {
	s.begin()
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

// begin sets the flow, which is zero, to what members hold or rather get, except from far.
func (s *solver) begin() {
	for _, m := range s.members {
		s.balance[s.member(m)], s.potential[s.member(m)] = 0, 0
	}
	total := int64(0)
	for _, n := range s.sources {
		total += int64(s.Supply[n])
		left := s.Supply[n]
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			if !s.far(arc) {
				s.Flow[arc] = s.wanted(arc)
				s.balance[s.member(s.To[arc])] += int64(s.Flow[arc])
				left -= s.Flow[arc]
			}
		}
		s.balance[n], s.potential[n] = int64(left), 0
	}

	count := int64(max(1, len(s.members)))
	s.low = int32(total / count)
	s.high = int32((total + count - 1) / count)
	pool := s.pool()
	s.balance[pool], s.potential[pool] = -total, 0
	for _, m := range s.members {
		n := s.member(m)
		s.load[m] = int32(min(max(s.balance[n], int64(s.low)), int64(s.high)))
		s.balance[n] -= int64(s.load[m])
		s.balance[pool] += int64(s.load[m])
	}
}
