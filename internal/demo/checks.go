package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/internal/timeline"
)

// rules are checked, and shown, in this order.
var rules = []rule{readOnce, noneLost, oneOwner, resumes, deadExpired, allDone}

// conclude compares the ends of the story with each other: what was read and owned, and what the coordinator says is
// committed in the end. It adds what does not fit to the faults.
func (l *ledger) conclude(killed string, final map[int32]int64) {
	for p, reads := range l.reads {
		if missed := slices.Index(reads, 0); missed >= 0 {
			l.fault(readOnce, "%s %d@%d was never read, nor were %d others", topic, p, missed, count(reads, 0)-1)
		}
		if got := final[int32(p)]; got != records/partitions {
			l.fault(allDone, "%s %d is committed up to %d of %d", topic, p, got, records/partitions)
		}
	}
	for _, generation := range slices.Sorted(maps.Keys(l.history)) {
		for p, owner := range l.history[generation] {
			if owner == "" {
				l.fault(oneOwner, "in generation %d nobody has %s %d", generation, topic, p)
			}
		}
	}
	if !slices.Equal(l.expired, []string{killed}) {
		l.fault(deadExpired, "%s was killed, and %q were removed", killed, l.expired)
	}
}

// detail says what was counted for a rule that holds.
func (l *ledger) detail(r rule) string {
	switch r {
	case readOnce:
		again := 0
		for _, reads := range l.reads {
			again += len(reads) - count(reads, 0) - count(reads, 1)
		}
		return fmt.Sprintf("%d records, and %d of them again: those that %s had not committed",
			records, again, strings.Join(l.expired, ", "))
	case noneLost:
		return fmt.Sprintf("%d commits, each of records that had been read", l.commits)
	case oneOwner:
		return fmt.Sprintf("%d partitions in %d generations, each with one owner at any time", partitions, len(l.history))
	case resumes:
		return fmt.Sprintf("%d times; dora, the late one, at %v", l.takeovers, timeline.Offsets{topic: l.begun["dora"]})
	case deadExpired:
		return fmt.Sprintf("%s, %v after its last heartbeat", strings.Join(l.expired, ", "), sessionTimeout)
	case allDone:
		return fmt.Sprintf("up to %d, the end, in each of %d partitions", records/partitions, partitions)
	}
	return ""
}

// show adds each partition's story and each rule's outcome to the timeline, and returns the rules that were broken.
func (l *ledger) show(line *timeline.Timeline, final map[int32]int64) (broken []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, reads := range l.reads {
		story := timeline.Story{Topic: topic, Partition: int32(p), Records: len(reads), Committed: final[int32(p)]}
		for _, times := range reads {
			story.Reads += times
		}
		for _, generation := range slices.Sorted(maps.Keys(l.history)) {
			story.Owners = append(story.Owners, l.history[generation][p])
		}
		line.Add(timeline.Event{Kind: timeline.Partition, Story: &story})
	}
	for _, r := range rules {
		outcome := timeline.Outcome{OK: true, Detail: l.detail(r)}
		if faults := l.faults[r]; len(faults) > 0 {
			outcome = timeline.Outcome{Detail: strings.Join(faults[:min(len(faults), maxFaults)], "; ")}
			broken = append(broken, string(r))
		}
		line.Add(timeline.Event{Kind: timeline.Check, Text: string(r), Outcome: &outcome})
	}
	return broken
}

// maxFaults bounds the faults that are shown of one rule.
const maxFaults = 3

func count(values []int, value int) (n int) {
	for _, v := range values {
		if v == value {
			n++
		}
	}
	return n
}
