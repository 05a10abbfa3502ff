package differ

import (
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// shrink leaves out steps, as long as reference and ours still diverge, for at most the given time. It calls the reference
// concurrently.
func shrink(d *divergence, reference, ours system, calm, within time.Duration) *divergence {
	deadline := time.Now().Add(within)
	for size := len(d.schedule.steps) / 2; size > 0 && time.Now().Before(deadline); {
		if smaller := d.smaller(size, reference, ours, calm); smaller != nil {
			d = smaller
		} else {
			size /= 2
		}
	}
	return d
}

// smaller returns a divergence with so many steps less, or nil.
func (d *divergence) smaller(size int, reference, ours system, calm time.Duration) *divergence {
	var candidates []schedule
	for at := len(d.schedule.steps) - size; at >= len(setup); at -= size {
		candidates = append(candidates, d.schedule.without(at, at+size)...)
	}
	var running sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, c := range candidates {
		slots <- struct{}{}
		running.Go(func() {
			recorded, err := reference(run{calm: calm}, c)
			if err != nil {
				recorded = schedule{} // which diverges nowhere
			}
			candidates[i] = recorded
			<-slots
		})
	}
	running.Wait()
	for _, c := range candidates {
		if found := compare(c, ours); found != nil {
			return found
		}
	}
	return nil
}

// without returns the schedule without some steps; and, as these may have begun a generation, with generations that are less
// by one in what follows.
func (s schedule) without(from, to int) []schedule {
	rest := slices.Clone(s.steps[to:])
	for i, st := range rest {
		rest[i].lines = slices.Clone(st.lines)
		for j, line := range st.lines {
			rest[i].lines[j] = generation.ReplaceAllStringFunc(line, func(field string) string {
				n, _ := strconv.Atoi(field[len(" gen="):])
				return " gen=" + strconv.Itoa(n-1)
			})
		}
	}
	return []schedule{
		{s.seed, slices.Concat(s.steps[:from], s.steps[to:])},
		{s.seed, slices.Concat(s.steps[:from], rest)},
	}
}

var generation = regexp.MustCompile(` gen=[1-9][0-9]*\b`)

// confirm runs a schedule anew on both, with less patience if it is too slow with more.
func confirm(s schedule, reference, ours system, calm ...time.Duration) (_ *divergence, err error) {
	for _, c := range calm {
		var recorded schedule
		if recorded, err = reference(run{calm: c}, s); err == nil {
			return compare(recorded, ours), nil
		}
	}
	return nil, err
}
