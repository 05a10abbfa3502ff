package flow

// part is a graph of sources with the members that they serve, among whom the loads are even: the whole graph, or one that was
// cut out of it.
type part struct {
	Graph
	inWhole []int32 // by arc: which one it is of the whole graph; nil if the part is that
}

// split divides the part along the cut that the last search has found. What the search reached has more units than its members
// may take, or takes of them; none of its sources reaches out of it, and in an even sharing the other sources do not
// reach into it. Arcs that do are in neither part, so that nobody looks at them again.
func (s *solver) split() (high, low part) {
	clear(s.Flow) // which in the whole graph is the answer, where arcs that are in no part have none
	place := s.next[:s.Members]
	for m := range int32(s.Members) {
		of := s.side(s.member(m), &high, &low)
		place[m] = int32(of.Members)
		of.Members++
	}
	highArcs := 0
	for n := range int32(len(s.Supply)) {
		if s.hop[n] != unreached {
			highArcs += int(s.First[n+1] - s.First[n])
		}
	}
	high.grow(&s.Graph, highArcs)
	low.grow(&s.Graph, len(s.To)-highArcs)
	for n := range int32(len(s.Supply)) {
		to := s.side(n, &high, &low)
		for arc := s.First[n]; arc < s.First[n+1]; arc++ {
			if m := s.To[arc]; s.side(s.member(m), &high, &low) == to {
				to.add(&s.part, arc, place[m])
			}
		}
		to.Supply = append(to.Supply, s.Supply[n])
		to.First = append(to.First, int32(len(to.To)))
	}
	return high, low
}

// side is the part that a node goes to.
func (s *solver) side(n int32, high, low *part) *part {
	if s.hop[n] != unreached {
		return high
	}
	return low
}

// grow makes an empty part of a graph, with room for so many arcs.
func (p *part) grow(of *Graph, arcs int) {
	p.First, p.Even = []int32{0}, of.Even
	p.To, p.Held, p.inWhole = make([]int32, 0, arcs), make([]int32, 0, arcs), make([]int32, 0, arcs)
	if of.Warm != nil {
		p.Warm = make([]int32, 0, arcs)
	}
	if of.Far != nil {
		p.Far = make([]bool, 0, arcs)
	}
}

// add takes over an arc of another part, to a member by its place in this one.
func (p *part) add(of *part, arc, member int32) {
	p.To, p.Held = append(p.To, member), append(p.Held, of.Held[arc])
	if of.Warm != nil {
		p.Warm = append(p.Warm, of.Warm[arc])
	}
	if of.Far != nil {
		p.Far = append(p.Far, of.Far[arc])
	}
	if of.inWhole != nil {
		arc = of.inWhole[arc]
	}
	p.inWhole = append(p.inWhole, arc)
}
