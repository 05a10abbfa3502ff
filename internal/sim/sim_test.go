package sim

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/joinsync/joinsync/group"
)

var (
	firstSeed = flag.Uint64("seed", 1, "the first seed")
	seeds     = flag.Uint64("seeds", 40, "how many seeds to run")
	moves     = flag.Int("moves", 5000, "how many moves a run makes before all is calm")
)

// TestSeeds runs the simulation with many seeds, as many at a time as there are processors.
func TestSeeds(t *testing.T) {
	var next, steps, plans, grants, crashes, longest atomic.Int64
	next.Store(int64(*firstSeed))
	end := int64(*firstSeed + *seeds)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := next.Add(1) - 1; seed < end && !t.Failed(); seed = next.Add(1) - 1 {
				report, err := Run(uint64(seed), Options{Moves: *moves})
				if err != nil {
					fail(t, err)
					return
				}
				steps.Add(int64(report.Steps))
				plans.Add(int64(report.Plans))
				grants.Add(int64(report.Grants))
				crashes.Add(int64(report.Crashes))
				for calm := int64(report.Calm); calm > longest.Load(); {
					longest.Store(calm)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d seeds: %d steps, %d assignments stored, %d commits granted, %d crashes; calm after at most %d ms", *seeds, steps.Load(),
		plans.Load(), grants.Load(), crashes.Load(), longest.Load())
}

// fail shows the shortest way to a violation that is found.
func fail(t *testing.T, err error) {
	var v *Violation
	if !errors.As(err, &v) {
		t.Error(err)
		return
	}
	short := Shrink(v, Options{})
	var story strings.Builder
	again := Replay(short, Options{Trace: &story})
	t.Errorf("%v\nagain: go test ./internal/sim -run TestSeeds -seed %d -seeds 1 -moves %d\nshortened: %v\n%s",
		v, v.Seed, *moves, again, &story)
}

func TestSameSeedGivesTheSameBytes(t *testing.T) {
	digest := func(seed uint64) string {
		sum := sha256.New()
		bytes := json.NewEncoder(sum)
		seen := func(out *group.Output) {
			if err := bytes.Encode(out); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Run(seed, Options{Moves: 3000, Seen: seen}); err != nil {
			t.Fatal(err)
		}
		return string(sum.Sum(nil))
	}
	for seed := *firstSeed; seed < *firstSeed+max(*seeds/4, 1); seed++ {
		if first, second := digest(seed), digest(seed); first != second {
			t.Errorf("seed %d gave two outputs", seed)
		}
	}
}
