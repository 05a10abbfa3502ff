package flow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph draws a graph of a few sources and members.
func drawGraph(t *rapid.T) *Graph {
	g := &Graph{Members: rapid.IntRange(1, 6).Draw(t, "members"), First: []int32{0}}
	far, warm := rapid.Bool().Draw(t, "far"), rapid.Bool().Draw(t, "warm")
	large := rapid.SampledFrom([]int32{3, 12}).Draw(t, "largest supply")
	for range rapid.IntRange(0, 6).Draw(t, "sources") {
		supply := int32(0)
		reached := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(g.Members-1)), 1, g.Members, rapid.ID).Draw(t, "reached")
		left := rapid.Int32Range(0, large).Draw(t, "supply")
		supply = left
		for m := range int32(g.Members) {
			for _, r := range reached {
				if r != m {
					continue
				}
				held := rapid.Int32Range(0, left).Draw(t, "held")
				left -= held
				g.To, g.Held = append(g.To, m), append(g.Held, held)
				if warm {
					rather := rapid.Int32Range(0, left).Draw(t, "is warm")
					left -= rather
					g.Warm = append(g.Warm, rather)
				}
				if far {
					g.Far = append(g.Far, rapid.Bool().Draw(t, "is far"))
				}
			}
		}
		g.Supply, g.First = append(g.Supply, supply), append(g.First, int32(len(g.To)))
	}
	return g
}

func TestSolveIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		if err := g.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		if fault := g.fault(); fault != "" {
			t.Fatalf("%s: %+v", fault, g)
		}
		if got, want := g.figures(), g.oracle(); got != want {
			t.Fatalf("got %+v, the best is %+v: %+v", got, want, g)
		}
	})
}

// fault says what is wrong with a flow, whatever it costs.
func (g *Graph) fault() string {
	for n, supply := range g.Supply {
		sum := int32(0)
		for arc := g.First[n]; arc < g.First[n+1]; arc++ {
			if g.Flow[arc] < 0 {
				return fmt.Sprintf("arc %d has a flow of %d", arc, g.Flow[arc])
			}
			sum += g.Flow[arc]
		}
		if sum != supply {
			return fmt.Sprintf("source %d shares out %d of %d", n, sum, supply)
		}
	}
	return ""
}

// TestSolveOfLargerGraphsIsOptimal has what small graphs do not: many parts, and ways through many members.
func TestSolveOfLargerGraphsIsOptimal(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		g := &Graph{Members: 20 + random.IntN(30), First: []int32{0}}
		degree := 1 + random.IntN(6)
		for range 20 + random.IntN(30) {
			left := int32(random.IntN(20))
			g.Supply = append(g.Supply, left)
			for m := range int32(g.Members) {
				if random.IntN(g.Members) >= degree && m != int32(len(g.Supply))%int32(g.Members) {
					continue
				}
				held := random.Int32N(left + 1)
				left -= held
				if seed%3 == 0 {
					warm := random.Int32N(left + 1)
					left -= warm
					g.Warm = append(g.Warm, warm)
				}
				g.To, g.Held, g.Far = append(g.To, m), append(g.Held, held), append(g.Far, seed%2 == 0 && random.IntN(2) == 0)
			}
			g.First = append(g.First, int32(len(g.To)))
		}
		if err := g.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		if fault := g.fault(); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
		if got, want := g.figures(), g.oracle(); got != want {
			t.Fatalf("seed %d: got %+v, the best is %+v", seed, got, want)
		}
	}
}

// TestFillTakesNestedSourcesInGoodOrder: to each member there is a source that reaches only it and those before it. If the ones that
// reach many went first, they would take the place of others, and each of these would have to find a way around.
func TestFillTakesNestedSourcesInGoodOrder(t *testing.T) {
	const size, each = 40, 5
	g := &Graph{Members: size, First: []int32{0}}
	for source := range size {
		for member := range size - source {
			g.To, g.Held = append(g.To, int32(member)), append(g.Held, 0)
		}
		g.Supply, g.First = append(g.Supply, each), append(g.First, int32(len(g.To)))
	}
	g.Flow = make([]int32, len(g.To))
	s := newSolver(g)
	s.enter(part{Graph: *g})
	s.begin()
	if s.fill(); s.search() != nothingLeft {
		t.Errorf("fill leaves %v for the search", s.balance)
	}
}

func TestSolveStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := &Graph{Members: 1, Supply: []int32{1}, First: []int32{0, 1}, To: []int32{0}, Held: []int32{0}}
	if err := g.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
