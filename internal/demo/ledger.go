package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A ledger holds against each other what the members do: who owns what, what was read, what was committed. Its methods may
// be called concurrently.
type ledger struct {
	mu        sync.Mutex
	changed   chan struct{} // closed and replaced with every change
	reads     [partitions][]int
	committed [partitions]int64 // the last offset that was acknowledged, -1 for none
	owner     [partitions]string
	history   map[int32]*[partitions]string // owners by generation
	takeovers int
	commits   int
	begun     map[string]map[int32]int64 // where each member began to read when it came
	expired   []string                   // members that the coordinator has removed
	faults    map[rule][]string
	broken    error // why the story cannot go on
}

// A rule is something that must hold, in the words in which it is shown.
type rule string

const (
	readOnce    rule = "every record was read"
	noneLost    rule = "none was lost"
	oneOwner    rule = "no partition had two owners"
	resumes     rule = "heirs began at the commits"
	deadExpired rule = "the killed member expired"
	allDone     rule = "everything is committed"
)

func newLedger() *ledger {
	l := &ledger{
		changed: make(chan struct{}), history: make(map[int32]*[partitions]string),
		begun: make(map[string]map[int32]int64), faults: make(map[rule][]string),
	}
	for p := range l.reads {
		l.reads[p] = make([]int, records/partitions)
		l.committed[p] = -1
	}
	return l
}

// change runs fn under the lock and wakes whoever waits.
func (l *ledger) change(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fn()
	close(l.changed)
	l.changed = make(chan struct{})
}

// fail ends the story.
func (l *ledger) fail(err error) {
	l.change(func() { l.broken = errors.Join(l.broken, err) })
}

// awaitProgress waits until a percentage of the records has been read, or the story cannot go on.
func (l *ledger) awaitProgress(ctx context.Context, percent int) error {
	for {
		l.mu.Lock()
		done, broken, changed := l.progress()*100 >= records*percent, l.broken, l.changed
		l.mu.Unlock()
		if done || broken != nil {
			return broken
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// fault notes that a rule was broken.
func (l *ledger) fault(r rule, format string, args ...any) {
	l.faults[r] = append(l.faults[r], fmt.Sprintf(format, args...))
}

// assigned notes that a member takes partitions over in a generation.
func (l *ledger) assigned(member string, generation int32, taken []int32) {
	l.change(func() {
		owners := l.history[generation]
		if owners == nil {
			owners = new([partitions]string)
			l.history[generation] = owners
		}
		for _, p := range taken {
			if owners[p] != "" {
				l.fault(oneOwner, "generation %d gives %s %d to %s and %s", generation, topic, p, owners[p], member)
			}
			if l.owner[p] != "" {
				l.fault(oneOwner, "%s took %s %d while %s had it", member, topic, p, l.owner[p])
			}
			owners[p], l.owner[p] = member, member
		}
	})
}

// released notes that a member has nothing any more.
func (l *ledger) released(member string) {
	l.change(func() {
		for p, owner := range l.owner {
			if owner == member {
				l.owner[p] = ""
			}
		}
	})
}

// resumed notes at which offsets a member begins to read what it was assigned.
func (l *ledger) resumed(member string, offsets map[int32]int64) {
	l.change(func() {
		if l.begun[member] == nil {
			l.begun[member] = maps.Clone(offsets)
		}
		for p, offset := range offsets {
			l.takeovers++
			if want := max(l.committed[p], 0); offset != want {
				l.fault(resumes, "%s began %s %d at %d, but %d was committed", member, topic, p, offset, want)
			}
		}
	})
}

// read notes a record that was read.
func (l *ledger) read(member string, partition int32, offset int64, got string) {
	l.change(func() {
		if offset < 0 || offset >= int64(len(l.reads[partition])) || got != value(partition, offset) {
			l.fault(readOnce, "%s read %q at %s %d@%d, which was never written", member, got, topic, partition, offset)
			return
		}
		l.reads[partition][offset]++
	})
}

// commit notes offsets that the coordinator has acknowledged.
func (l *ledger) commit(offsets map[int32]int64) {
	l.change(func() {
		l.commits++
		for p, offset := range offsets {
			l.committed[p] = offset
			if skipped := slices.Index(l.reads[p][:min(offset, int64(len(l.reads[p])))], 0); skipped >= 0 {
				l.fault(noneLost, "%s %d was committed up to %d, but %d was not read", topic, p, offset, skipped)
			}
		}
	})
}

// removed notes that the coordinator has removed a member.
func (l *ledger) removed(member string) {
	l.change(func() { l.expired = append(l.expired, member) })
}

// progress counts the records that were read at least once.
func (l *ledger) progress() (n int) {
	for _, reads := range l.reads {
		for _, times := range reads {
			n += min(times, 1)
		}
	}
	return n
}
