package group_test

import (
	"testing"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/internal/sim"
)

// TestSimulatedGroupIsSoundInside runs a few seeds of the simulator, which checks from outside what a group does, with a
// look inside after each step.
func TestSimulatedGroupIsSoundInside(t *testing.T) {
	seeds, steps := uint64(20), 0
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		report, err := sim.Run(seed, sim.Options{Moves: 5000, Check: group.Check})
		if err != nil {
			t.Fatal(err)
		}
		steps += report.Steps
	}
	t.Logf("%d seeds, %d steps", seeds, steps)
}
