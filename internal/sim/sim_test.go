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
	var next atomic.Uint64
	next.Store(*firstSeed)
	reports := make(chan Report)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := next.Add(1) - 1; seed < *firstSeed+*seeds && !t.Failed(); seed = next.Add(1) - 1 {
				report, err := Run(seed, Options{Moves: *moves})
				if err != nil {
					fail(t, err)
				}
				reports <- report
			}
		})
	}
	go func() {
		workers.Wait()
		close(reports)
	}()
	var all Report
	for r := range reports {
		all.Steps, all.Plans, all.Grants, all.Crashes = all.Steps+r.Steps, all.Plans+r.Plans, all.Grants+r.Grants, all.Crashes+r.Crashes
		all.Calm = max(all.Calm, r.Calm)
	}
	t.Logf("%d seeds: %d steps, %d assignments stored, %d commits granted, %d crashes; calm after at most %d ms",
		*seeds, all.Steps, all.Plans, all.Grants, all.Crashes, all.Calm)
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
