package flow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestNoCycleBettersALargeFlow: a flow is the best if no units sent around in a circle better it. The graphs are too
// large for the oracle, and of the shapes that subscriptions have.
func TestNoCycleBettersALargeFlow(t *testing.T) {
	const size = 80
	shapes := map[string]func(source, member int, random *rand.Rand) bool{
		"half":    func(_, _ int, random *rand.Rand) bool { return random.IntN(2) == 0 },
		"few":     func(_, _ int, random *rand.Rand) bool { return random.IntN(size) < 3 },
		"nested":  func(source, member int, _ *rand.Rand) bool { return member >= source },
		"windows": func(source, member int, _ *rand.Rand) bool { return (member-source+size)%size < size/10 },
	}
	for name, reaches := range shapes {
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 2))
			g := &Graph{Members: size, First: []int32{0}}
			for source := range size {
				left := random.Int32N(1000)
				g.Supply = append(g.Supply, left)
				for member := range size {
					if member != source && !reaches(source, member, random) {
						continue
					}
					held := min(left, random.Int32N(1+left/3)*random.Int32N(2))
					left -= held
					if seed > 1 {
						warm := random.Int32N(1 + left/3)
						left -= warm
						g.Warm = append(g.Warm, warm)
					}
					g.To, g.Held, g.Far = append(g.To, int32(member)), append(g.Held, held), append(g.Far, seed%2 == 0 && random.IntN(3) == 0)
				}
				g.First = append(g.First, int32(len(g.To)))
			}
			if err := g.Solve(context.Background()); err != nil {
				t.Fatal(err)
			}
			if fault := g.fault(); fault != "" {
				t.Errorf("%s, seed %d: %s", name, seed, fault)
			}
			if g.hasBetterCycle() {
				t.Errorf("%s, seed %d: there is a better flow", name, seed)
			}
		}
	}
}

// TestNoCycleMakesASmallFlowMoreEven: small flows are also as even as can be, after all else.
func TestNoCycleMakesASmallFlowMoreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.Even = true
		if err := g.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		if fault := g.fault(); fault != "" {
			t.Fatalf("%s: %+v", fault, g)
		}
		if g.hasBetterCycle() {
			t.Fatalf("there is a better flow: %+v", g)
		}
	})
}

// hasBetterCycle looks for a circle that costs less than nothing: if after as many rounds as there are nodes, Bellman and
// Ford's algorithm still finds shorter ways, there is one.
func (g *Graph) hasBetterCycle() bool {
	const squares, far, moves, warm = 1 << 38, 1 << 29, 1 << 20, 1 << 10
	type edge struct {
		from, to int
		cost     int64
	}
	sink := len(g.Supply) + g.Members
	loads := make([]int64, g.Members)
	var edges []edge
	for n := range g.Supply {
		for arc := g.First[n]; arc < g.First[n+1]; arc++ {
			base, to := int64(0), len(g.Supply)+int(g.To[arc])
			if g.Far != nil && g.Far[arc] {
				base = far
			}
			more, less := base-warm*g.gain(int(arc), g.Flow[arc], moves/warm), -base+warm*g.gain(int(arc), g.Flow[arc]-1, moves/warm)
			if g.Even {
				more += 2*int64(g.Flow[arc]) + 1
				less -= 2*int64(g.Flow[arc]) - 1
			}
			edges = append(edges, edge{n, to, more})
			if g.Flow[arc] > 0 {
				edges = append(edges, edge{to, n, less})
			}
			loads[g.To[arc]] += int64(g.Flow[arc])
		}
	}
	for m, load := range loads {
		edges = append(edges, edge{len(g.Supply) + m, sink, (2*load + 1) * squares})
		if load > 0 {
			edges = append(edges, edge{sink, len(g.Supply) + m, -(2*load - 1) * squares})
		}
	}
	distance := make([]int64, sink+1)
	for range distance {
		shorter := false
		for _, e := range edges {
			if d := distance[e.from] + e.cost; d < distance[e.to] {
				distance[e.to], shorter = d, true
			}
		}
		if !shorter {
			return false
		}
	}
	return true
}

// TestCyclesAreFound keeps the test above honest.
func TestCyclesAreFound(t *testing.T) {
	for i, flow := range [][]int32{{2, 0, 0, 2}, {1, 1, 1, 1}, {0, 2, 2, 0}, {2, 0, 1, 1}} {
		g := &Graph{Members: 2, Supply: []int32{2, 2}, First: []int32{0, 2, 4}, To: []int32{0, 1, 0, 1},
			Held: []int32{2, 0, 0, 2}, Flow: flow}
		if got := g.hasBetterCycle(); got != (i > 0) {
			t.Errorf("%v: a better cycle: %t", fmt.Sprint(flow), got)
		}
	}
}
