package assignortest

import (
	"time"

	"pgregory.net/rapid"
)

// batches is how often rapid's number of draws, which are quick here, is made.
const batches = 5

// drawnInputs looks for inputs that fail.
func (c *checker) drawnInputs() {
	c.t.Helper()
	c.hunt(func(t *rapid.T) []fault { return c.judge(drawInput(t)) })
}

// drawnGroups looks for groups that fail.
func (c *checker) drawnGroups() {
	c.t.Helper()
	c.hunt(func(t *rapid.T) []fault { return c.live(drawHistory(t)) })
}

// hunt draws until nothing fails but what has been reported. Rapid is not told of failures: it would shrink them without
// knowing what they are, and leave files behind.
func (c *checker) hunt(property func(*rapid.T) []fault) {
	c.t.Helper()
	for again := true; again; {
		again = false
		var found []fault
		most := batches
		if len(c.reported) > 0 {
			most = 1 // there is something to mend first
		}
		for range most {
			rapid.Check(draws{t: c.t}, func(t *rapid.T) {
				if len(found) == 0 && !c.stopped.Load() && time.Now().Before(c.until) {
					found = c.unreported(property(t))
				}
			})
		}
		if again = len(found) > 0; again {
			c.reportAll(found)
		}
	}
}

// draws is the rapid.TB of a hunt. It only ever hears of faults of the hunt itself.
type draws struct {
	rapid.TB
	t T
}

func (d draws) Helper()                           { d.t.Helper() }
func (draws) Name() string                        { return "assignortest" }
func (d draws) Errorf(format string, args ...any) { d.t.Errorf(format, args...) }
func (draws) Logf(string, ...any)                 {}
func (draws) Failed() bool                        { return false }
