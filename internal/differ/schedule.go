package differ

import (
	"fmt"
	"strings"
)

// A schedule is one script with the answers that a broker gave.
type schedule struct {
	seed  uint64
	steps []step
}

// A step is one line of a script, or several requests that are sent at once.
type step struct {
	lines   []string
	answers []string
}

// setup is what every schedule begins with. No session and no rebalance ends by itself, unless a request says so.
var setup = []string{"topics orders:4 payments:1", "defaults group=g session=10m rebalance=10m type=consumer"}

// String renders the schedule as a script.
func (s schedule) String() string {
	var b strings.Builder
	for _, st := range s.steps {
		if len(st.lines) > 1 {
			b.WriteString("# at once:\n")
		}
		b.WriteString(strings.Join(st.lines, "\n"))
		for _, a := range st.answers {
			fmt.Fprintf(&b, "\n  %s", a)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String renders the divergence as a script, with what ours answered in the last step.
func (d *divergence) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Seed %d.\n\n%v", d.schedule.seed, d.schedule)
	for _, a := range d.ours {
		fmt.Fprintf(&b, "  [core] %s\n", a)
	}
	if len(d.ours) == 0 {
		b.WriteString("  [core] nothing\n")
	}
	return b.String()
}
