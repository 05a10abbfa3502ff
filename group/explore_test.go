package group

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var deeper = flag.Int("deeper", 0, "how many actions further to explore; each takes about eight times as long")

// TestEverySmallSituation walks through all that can happen to three clients, one of them static, action by action and
// each situation once, as far as the depth says: from nothing, and from the midst of things. After each step the
// invariants hold (see driver.step), and a group at rest equals the one that its records tell of.
func TestEverySmallSituation(t *testing.T) {
	// From nothing on to the generation of all three, and to its assignment.
	begun := []string{"a joins", "accept", "a joins", "b joins", "s joins", "tick", "tick"}
	assigned := append(begun, "b syncs", "a syncs", "accept", "s syncs")
	from, depth := [][]byte{path(), path(begun...), path(assigned...)}, 6
	if testing.Short() {
		depth = 5
	}
	roomy := Config{InitialRebalanceDelay: unit, MaxSize: 3, MaxPending: 2, OffsetMetadataMax: 10, SubscribedTopics: oneTopic}
	if raced {
		explore(t, roomy, 4, from...)
		return
	}
	explore(t, roomy, depth, from...)

	// A group for two, and no initial delay.
	full := []string{"a joins", "accept", "a joins", "s joins", "tick", "s syncs", "a syncs", "accept"}
	tight := Config{InitialRebalanceDelay: 0, MaxSize: 2, MaxPending: 1, OffsetMetadataMax: 10, SubscribedTopics: oneTopic}
	explore(t, tight, depth-1, path(), path(full...))
}

// explore goes on from each start as far as depth.
func explore(t *testing.T, config Config, depth int, starts ...[]byte) {
	depth += *deeper
	e := explorer{t: t, config: config, seen: make(map[string]bool)}
	frontier := starts
	for range depth {
		var next [][]byte
		for _, p := range frontier {
			next = e.expand(p, next)
		}
		frontier = next
	}
	t.Logf("room for %d, up to %d actions from each of %d starts: %d situations after %d steps, %d of them not gone on from",
		config.MaxSize, depth, len(starts), len(e.seen), e.steps, len(frontier))
}

// path finds actions by name.
func path(names ...string) []byte {
	var p []byte
	for _, name := range names {
		p = append(p, byte(slices.IndexFunc(actions, func(a action) bool { return a.name == name })))
	}
	return p
}

type explorer struct {
	t      *testing.T
	config Config
	seen   map[string]bool // situations
	steps  int
	buf    []byte
}

// expand does each action after a path, and adds the paths to situations that are new.
func (e *explorer) expand(path []byte, next [][]byte) [][]byte {
	trace := &tracing{TB: e.t}
	start := newWorld(trace, e.config)
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
