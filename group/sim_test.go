package group_test

import (
	"testing"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/internal/sim"
)

// simulate runs the first seeds of the simulator, which checks from outside what a group does.
func simulate(t *testing.T, seeds uint64, inside func(*group.Group) error) {
	steps := 0
	for seed := range seeds {
		report, err := sim.Run(seed, sim.Options{Moves: 5000, Check: inside})
		if err != nil {
			t.Fatal(err)
		}
		steps += report.Steps
	}
	t.Logf("%d seeds, %d steps", seeds, steps)
}

func TestSimulatedGroup(t *testing.T) { simulate(t, 40, nil) }

func TestSimulatedGroupIsSoundInside(t *testing.T) { simulate(t, 10, group.Check) }
