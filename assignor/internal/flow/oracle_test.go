package flow

// figures is what a flow is judged by, the first one first.
type figures struct {
	squares int64 // of the loads, their sum
	far     int64 // units to members that are far
	kept    int64 // units that members have already
	warm    int64 // units that they rather get than others
}

func (g *Graph) figures() figures {
	var f figures
	loads := make([]int64, g.Members)
	for arc, units := range g.Flow {
		loads[g.To[arc]] += int64(units)
		f.kept += int64(min(units, g.Held[arc]))
		if g.Warm != nil {
			f.warm += int64(min(max(0, units-g.Held[arc]), g.Warm[arc]))
		}
		if g.Far != nil && g.Far[arc] {
			f.far += int64(units)
		}
	}
	for _, load := range loads {
		f.squares += load * load
	}
	return f
}

// gain is what one unit more than so many gains on an arc.
func (g *Graph) gain(arc int, units int32, move int64) int64 {
	switch {
	case units < g.Held[arc]:
		return move
	case g.Warm != nil && units < g.Held[arc]+g.Warm[arc]:
		return 1
	}
	return 0
}

// oracle finds the best flow unit by unit, each on the cheapest way that Bellman and Ford's algorithm finds, where to be
// one member's n-th unit costs the n-th odd number: slow, and without a thought in common with the solver.
func (g *Graph) oracle() figures {
	const squares, far, move = 1 << 40, 1 << 20, 1 << 10
	o := *g
	o.Flow = make([]int32, len(g.To))
	loads := make([]int64, g.Members)
	base := func(arc int) int64 {
		if g.Far != nil && g.Far[arc] {
			return far
		}
		return 0
	}
	const none = 1 << 60
	for source, supply := range g.Supply {
		for range supply {
			toSource, toMember := make([]int64, len(g.Supply)), make([]int64, g.Members)
			bySource, byMember := make([]int, len(g.Supply)), make([]int, g.Members) // the arc by which it was reached
			for i := range toSource {
				toSource[i] = none
			}
			for i := range toMember {
				toMember[i] = none
			}
			toSource[source] = 0
			for changed := true; changed; {
				changed = false
				for n := range g.Supply {
					for arc := int(g.First[n]); arc < int(g.First[n+1]); arc++ {
						m, cost := g.To[arc], base(arc)
						cost -= g.gain(arc, o.Flow[arc], move)
						if toSource[n] < none && toSource[n]+cost < toMember[m] {
							toMember[m], byMember[m], changed = toSource[n]+cost, arc, true
						}
						back := -base(arc) + g.gain(arc, o.Flow[arc]-1, move)
						if o.Flow[arc] > 0 && toMember[m] < none && toMember[m]+back < toSource[n] {
							toSource[n], bySource[n], changed = toMember[m]+back, arc, true
						}
					}
				}
			}
			best := -1
			for m := range toMember {
				if toMember[m] < none && (best < 0 || toMember[m]+(2*loads[m]+1)*squares < toMember[best]+(2*loads[best]+1)*squares) {
					best = m
				}
			}
			loads[best]++
			for m := best; ; {
				arc := byMember[m]
				o.Flow[arc]++
				n := 0
				for int(g.First[n+1]) <= arc {
					n++
				}
				if n == source {
					break
				}
				arc = bySource[n]
				o.Flow[arc]--
				m = int(g.To[arc])
			}
		}
	}
	return o.figures()
}
