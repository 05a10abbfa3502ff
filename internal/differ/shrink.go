package differ

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// shrink leaves out steps, as long as reference and ours still diverge, for at most the given time.
func shrink(d *divergence, reference, ours system, calm, within time.Duration) *divergence {
	deadline := time.Now().Add(within)
	for size := len(d.schedule.steps) / 2; size > 0; {
		before := len(d.schedule.steps)
		for at := before - size; at >= len(setup) && time.Now().Before(deadline); at-- {
			if at = min(at, len(d.schedule.steps)-size); at < len(setup) {
				break
			}
			for _, candidate := range d.schedule.without(at, at+size) {
				if found, err := confirm(candidate, reference, ours, calm); err == nil && found != nil {
					d = found
					break
				}
			}
		}
		if len(d.schedule.steps) == before || size > 1 {
			size /= 2
		}
	}
	return d
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

// confirm runs a schedule anew on both.
func confirm(s schedule, reference, ours system, calm time.Duration) (*divergence, error) {
	recorded, err := reference(run{calm: calm}, s)
	if err != nil {
		return nil, err
	}
	return compare(recorded, ours), nil
}
