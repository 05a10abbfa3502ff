package peertest

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// A Fault is what is known to be wrong.
type Fault struct {
	Check string // that finds it, by the name that assignortest gives it
	Input string // on which; as small as can be. Empty is for what shows itself by chance, over several rebalances
}

// tries is how often a check may miss a fault that shows itself by chance: in the order of a map, as a rule.
const tries = 100

// Check holds an assignor to the checks and to its promises. A fault that is not found any more has been mended since: take it
// out.
func Check(t *testing.T, a assignor.Assignor, faults []Fault, promises ...assignortest.Option) {
	t.Helper()
	known := map[string]bool{}
	for _, fault := range faults {
		known[fault.Check] = true
		if fault.Input != "" && !slices.ContainsFunc(make([]struct{}, tries), func(struct{}) bool {
			var r recorder
			assignortest.Replay(&r, a, fault.Input, promises...)
			return slices.Contains(r.failed(), fault.Check)
		}) {
			t.Errorf("check %q finds nothing wrong on %s", fault.Check, fault.Input)
		}
	}
	var r recorder
	assignortest.Check(&r, a, promises...)
	for i, check := range r.failed() {
		if check == "order" {
			check = "deterministic" // or not the same each time, and this time when asked in another order
		}
		if !known[check] {
			t.Errorf("this was not known: %s", r[i])
		}
	}
}

// recorder keeps what the checks say.
type recorder []string

func (*recorder) Helper()                             {}
func (r *recorder) Errorf(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

var name = regexp.MustCompile(`^assignor .* fails the check "([^"]*)"`)

// failed is the check of each entry.
func (r recorder) failed() (checks []string) {
	for _, entry := range r {
		checks = append(checks, name.FindStringSubmatch(entry)[1])
	}
	return checks
}
