package group

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEverySmallSituation walks through all that can happen to three clients, one of them static, action by action and
// each situation once, as far as the depth says: from nothing, and from the midst of things. After each step the
// invariants hold (see driver.step), and a group at rest equals the one that its records tell of.
func TestEverySmallSituation(t *testing.T) {
	depth := 6
	if raced {
		depth = 4
	}
	e := explorer{t: t, seen: make(map[string]bool)}
	frontier := [][]byte{nil, path(begun...), path(append(begun, assigned...)...)}
	for range depth {
		var next [][]byte
		for _, p := range frontier {
			next = e.expand(p, next)
		}
		frontier = next
	}
	t.Logf("depth %d: %d situations after %d steps, %d of them not gone on from", depth, len(e.seen), e.steps, len(frontier))
}

// begun leads from nothing to a generation of all three clients, and assigned on to its assignment.
var (
	begun    = []string{"a joins", "accept", "a joins", "b joins", "s joins", "tick", "tick"}
	assigned = []string{"b syncs", "a syncs", "accept", "s syncs"}
)

// path finds actions by name.
func path(names ...string) []byte {
	var p []byte
	for _, name := range names {
		p = append(p, byte(slices.IndexFunc(actions, func(a action) bool { return a.name == name })))
	}
	return p
}

type explorer struct {
	t     *testing.T
	seen  map[string]bool // situations
	steps int
	buf   []byte
}

// expand does each action after a path, and adds the paths to situations that are new.
func (e *explorer) expand(path []byte, next [][]byte) [][]byte {
	trace := &tracing{TB: e.t}
	start := newWorld(trace, worldConfig)
	for _, i := range path {
		trace.path = append(trace.path, i)
		start.must(start.act(&actions[i]), "%s cannot happen here", actions[i].name)
	}
	for i := range actions {
		w := start.clone()
		trace.path = append(trace.path[:len(path)], byte(i))
		if !w.act(&actions[i]) {
			continue
		}
		e.steps++
		e.buf = w.situation(e.buf[:0])
		if !e.seen[string(e.buf)] {
			e.seen[string(e.buf)] = true
			next = append(next, slices.Clone(trace.path))
			w.leaveAlone()
		}
	}
	return next
}

// tracing tells with a failure what led to it.
type tracing struct {
	testing.TB
	path []byte
}

// Helper does nothing: it would take a good part of the time.
func (t *tracing) Helper() {}

func (t *tracing) Fatalf(format string, args ...any) {
	t.TB.Helper()
	var names []string
	for _, i := range t.path {
		names = append(names, actions[i].name)
	}
	t.TB.Fatalf("%s\nafter: %s", fmt.Sprintf(format, args...), strings.Join(names, ", "))
}
