package assignortest

import (
	"iter"
	"slices"

	"pgregory.net/rapid"
)

// A history is what happens to a group, by numbers that always mean something: who is one of the members that there are then.
type history struct {
	partitions []int // of each topic
	racked     bool
	events     []event
}

type event struct {
	kind     eventKind
	who, arg int
}

type eventKind int

const (
	joins    eventKind = iota // a new member, which leaves out the topics in the set arg
	leaves                    // whom nobody hears of again
	changes                   // its subscription, to all but the topics in the set arg
	grows                     // the topic of number who, by arg partitions
	misses                    // the answer to its SyncGroup, and joins again with what it had
	restarts                  // as a new member that owns nothing; with the same instance id if it is static
)

const maxMembers = 6

func drawHistory(t *rapid.T) history {
	return history{
		partitions: some(rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5}), 1, 2, 3).Draw(t, "partitions"),
		racked:     rapid.Bool().Draw(t, "racks"),
		events: some(rapid.Custom(func(t *rapid.T) event {
			return event{
				kind: rapid.SampledFrom([]eventKind{joins, joins, joins, leaves, changes, grows, misses, restarts}).Draw(t, "event"),
				who:  rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5}).Draw(t, "who"),
				arg:  rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "arg"),
			}
		}), 1, 2, 3, 4, 5, 6, 7, 8).Draw(t, "events"),
	}
}

// lifeOfAGroup is a history that need not be drawn: each event once, and the joins that most histories begin with.
func lifeOfAGroup() history {
	return history{
		partitions: []int{3, 2, 0},
		events: []event{
			{kind: joins}, {kind: joins}, {kind: joins}, {kind: leaves}, {kind: grows, who: 1, arg: 2}, {kind: grows, who: 2, arg: 3},
			{kind: joins, arg: 1}, {kind: changes, who: 1, arg: 2}, {kind: misses, who: 1}, {kind: restarts}, {kind: leaves, who: 2},
		},
	}
}

// reductions yields histories in which one thing less happens, or to fewer partitions.
func (h history) reductions() iter.Seq[history] {
	return func(yield func(history) bool) {
		for i := range h.events {
			if !yield(history{h.partitions, h.racked, slices.Delete(slices.Clone(h.events), i, i+1)}) {
				return
			}
		}
		for i := range h.partitions {
			if len(h.partitions) > 1 && !yield(history{slices.Delete(slices.Clone(h.partitions), i, i+1), h.racked, h.events}) {
				return
			}
			fewer := slices.Clone(h.partitions)
			if fewer[i]--; fewer[i] >= 0 && !yield(history{fewer, h.racked, h.events}) {
				return
			}
		}
		if h.racked && !yield(history{h.partitions, false, h.events}) {
			return
		}
		for i, e := range h.events {
			plain := slices.Clone(h.events)
			plain[i] = event{kind: e.kind}
			if plain[i] != e && !yield(history{h.partitions, h.racked, plain}) {
				return
			}
		}
	}
}
