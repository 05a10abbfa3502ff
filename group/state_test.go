package group

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever happens, a state follows only on those that Kafka's state machine lets come before it (G-002), and a few runs
// see every one of these transitions.
func TestStatesFollowOnlyOnThoseBeforeThem(t *testing.T) {
	before := map[State][]State{
		Empty:               {PreparingRebalance},
		PreparingRebalance:  {Empty, CompletingRebalance, Stable},
		CompletingRebalance: {PreparingRebalance},
		Stable:              {CompletingRebalance},
	}
	seen := make(map[[2]State]bool)
	for seed := range uint64(20) {
		c := newChaos(seeded{t, seed}, rand.New(rand.NewPCG(seed, 3)))
		for range 300 {
			c.happen()
		}
		for _, tr := range c.transitions {
			switch cause := tr.Reason.Cause; {
			case tr.To == Dead, cause == GroupCreated && tr.To == Empty, cause == Loaded && (tr.To == Empty || tr.To == Stable):
				continue
			case !slices.Contains(before[tr.To], tr.From):
				t.Errorf("seed %d: %s came after %s: %s", seed, tr.To, tr.From, tr.Reason)
			}
			seen[[2]State{tr.From, tr.To}] = true
		}
	}
	for to, froms := range before {
		for _, from := range froms {
			if !seen[[2]State{from, to}] {
				t.Errorf("never went from %s to %s", from, to)
			}
		}
	}
}
