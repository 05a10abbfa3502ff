package assignortest

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// T is the part of *testing.T, or of any testing.TB, that is needed.
type T interface {
	Helper()                           // as testing.TB has it
	Errorf(format string, args ...any) // reports a failure, and goes on
}

// Option is something that an assignor promises besides what all have to keep to, or a setting.
type Option func(*checker)

// Within sets how long one Assign may take; without it, ten seconds. An assignor that takes longer is left behind, still
// running, and is not checked any further.
func Within(d time.Duration) Option { return func(c *checker) { c.patience = d } }

// Check holds an assignor to what the package comment lists, and to what the options promise. Each check that fails is
// reported once, by an Errorf, on the smallest input that was found to fail it. It may be called from several tests at once.
func Check(t T, a assignor.Assignor, options ...Option) {
	t.Helper()
	c, ok := newChecker(t, a, options)
	if !ok {
		return
	}
	c.corners()
	c.drawnInputs()
	c.drawnGroups()
}

// Replay holds an assignor to the checks on one input only, as a failure of [Check] or a case of testdata/vectors shows it:
// {"topics": […], "members": […]}.
func Replay(t T, a assignor.Assignor, input string, options ...Option) {
	t.Helper()
	c, ok := newChecker(t, a, options)
	if !ok {
		return
	}
	in := &vector.Input{}
	if err := json.Unmarshal([]byte(input), in); err != nil {
		t.Errorf("the input cannot be read: %v: give one line as a failure of Check shows it", err)
		return
	}
	c.reportAll(c.judge(in))
}

// longest is after how long Check looks no further. It takes a second or so.
const longest = time.Minute

// checker checks one assignor.
type checker struct {
	t           T
	a           assignor.Assignor
	name        string
	cooperative bool
	eager       bool
	patience    time.Duration // for one Assign
	until       time.Time     // for all
	promises    []promise
	stays       bool // promised: nothing moves in a group in which nothing changes
	reported    map[check]bool
	stopped     atomic.Bool // an Assign has not come back
}

// newChecker also checks what an assignor says of itself.
func newChecker(t T, a assignor.Assignor, options []Option) (*checker, bool) {
	t.Helper()
	c := &checker{t: t, a: a, patience: 10 * time.Second, until: time.Now().Add(longest), reported: map[check]bool{}}
	for _, o := range options {
		o(c)
	}
	var supports assignor.RebalanceProtocol
	f := c.guard(func() *fault {
		c.name, supports = a.Name(), a.Supports()
		return nil
	})
	const all = assignor.Eager | assignor.Cooperative
	switch {
	case f != nil:
	case c.name == "":
		f = &fault{check: declares, text: "its name is empty: it is the protocol name in JoinGroup"}
	case supports&^all != 0 || supports == 0:
		f = &fault{check: declares, text: fmt.Sprintf("Supports returns %#x", uint8(supports))}
	}
	if f != nil {
		c.report(*f)
	}
	c.cooperative, c.eager = supports.Has(assignor.Cooperative), supports.Has(assignor.Eager)
	return c, f == nil
}
