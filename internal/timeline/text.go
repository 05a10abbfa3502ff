package timeline

import (
	"cmp"
	"fmt"
	"strings"
)

const (
	minWidth = 72 // holds a bar; the lines of a smaller terminal are its own business
	maxWidth = 100
	margin   = 9 // the column of times: " 12.34s  "
)

// text prints events for people. It remembers what it needs to leave out what is known already.
type text struct {
	style
	width int
	b     strings.Builder
	gap   bool // what is printed so far ends with an empty line, or is nothing

	stepping string   // the member whose join is shown in full; empty before and after
	stepped  bool     // it has been shown
	last     Event    // its last step
	held     []moment // what waits for its end

	explained bool // the coordinator says why it rebalances

	shown   int32             // the generation shown last
	tallies map[string]*tally // by member
	retried string            // the error shown last, while nothing else is
	waiting []moment          // what waits for the bars of its generation
	stories int               // partition lines printed
}

// tally is what a member did with its present assignment.
type tally struct {
	generation int32
	rejoins    string // why it joins again, until it has
	records    int
	committed  Offsets
	resumed    bool // its first offsets have been shown
}

func newText(cfg Config) *text {
	return &text{
		style:   style{on: cfg.Color, members: make(map[string]int)},
		width:   max(minWidth, min(cmp.Or(cfg.Width, maxWidth), maxWidth)),
		tallies: make(map[string]*tally),
		gap:     true,
	}
}

// print returns the text of an event, or of all that is held back when there is no event any more.
func (t *text) print(m moment) []byte {
	t.b.Reset()
	switch {
	case m.Kind == "":
		t.release()
	case t.stepping != "" && (m.Member != t.stepping || m.Kind == Generation):
		t.held = append(t.held, m)
	default:
		t.event(m)
	}
	if t.b.Len() > 0 {
		t.gap = strings.HasSuffix(t.b.String(), "\n\n")
	}
	return []byte(t.b.String())
}

// blank writes an empty line, unless there is one already.
func (t *text) blank() {
	gap := t.gap
	if t.b.Len() > 0 {
		gap = strings.HasSuffix(t.b.String(), "\n\n")
	}
	if !gap {
		t.b.WriteByte('\n')
	}
}

// release ends the display of a join step by step.
func (t *text) release() {
	held := t.held
	t.stepping, t.stepped, t.held = "", true, nil
	for _, m := range held {
		t.event(m)
	}
}

// event writes an event's lines, none for those that are not shown by themselves.
func (t *text) event(m moment) {
	if t.step(m) {
		return
	}
	if m.Kind != Retrying {
		t.retried = ""
	}
	switch m.Kind {
	case Opened:
		t.wrap(0, 0, t.bold(m.Text))
		t.blank()
	case Started:
		t.line(m, "starts")
	case Generation:
		t.generation(m)
	case Rebalance:
		t.explained = true
	case Rejoining:
		t.of(m.Member).rejoins = m.Reason
	case Released:
		t.released(m)
	case Fetched:
		t.fetched(m)
	case Committed:
		t.of(m.Member).commit(m.Offsets)
	case Consumed:
		t.of(m.Member).records += m.Records
	case Retrying:
		t.retrying(m)
	case Leaving:
		t.line(m, "is to leave: "+Clean(m.Reason, maxMessage))
	case Left:
		t.left(m)
	case Killed:
		t.line(m, t.red("is killed")+": "+m.Text)
	case Removed:
		t.line(m, Clean(m.Reason, maxMessage)+", and is removed by the coordinator")
	case Warning:
		t.line(m, t.red("warning: ")+Clean(m.Text, maxMessage))
	case Partition:
		t.story(m)
	case Check:
		t.check(m)
	case Closed:
		t.closed(m)
	case Dropped:
		t.line(m, t.red(number(m.Records, "event")+" lost: the output was too slow"))
	}
}

// maxMessage bounds an error or a reason, which may hold what a peer sent.
const maxMessage = 400

func (t *text) of(member string) *tally {
	if t.tallies[member] == nil {
		t.tallies[member] = &tally{}
	}
	return t.tallies[member]
}

func (t *tally) commit(offsets Offsets) {
	if t.committed == nil {
		t.committed = make(Offsets)
	}
	for topic, partitions := range offsets {
		for partition, offset := range partitions {
			t.committed.set(topic, partition, offset)
		}
	}
}

// line writes what an event says of its member, after the time.
func (t *text) line(m moment, words string) {
	name := clean(m.Member)
	if name != "" {
		words = t.member(m.Member, name) + " " + words
	}
	t.b.WriteString(t.time(m))
	t.wrap(margin, margin+2, words)
}

func (t *text) time(m moment) string {
	return t.dim(fmt.Sprintf("%*s  ", margin-2, fmt.Sprintf("%.2fs", m.at.Seconds())))
}

func (t *text) released(m moment) {
	done := t.of(m.Member)
	words := "gives up " + m.Partitions.String()
	if m.Lost {
		words = t.red("has lost ") + m.Partitions.String()
	}
	if done.records > 0 {
		words += fmt.Sprintf(" after %s; committed %v", number(done.records, "record"), done.committed)
	}
	if !t.explained && !m.Leaving && done.rejoins != "" {
		words += ", and joins again: " + Clean(done.rejoins, maxMessage)
	}
	done.records, done.committed, done.rejoins = 0, nil, ""
	t.line(m, words)
}

// fetched shows the offsets at which a member comes into a group that has been at work.
func (t *text) fetched(m moment) {
	member := t.of(m.Member)
	if member.generation > t.shown {
		t.waiting = append(t.waiting, m)
		return
	}
	if member.resumed {
		return
	}
	member.resumed = true
	for _, partitions := range m.Offsets {
		for _, offset := range partitions {
			if offset >= 0 {
				t.line(m, "resumes at the committed offsets "+m.Offsets.String())
				return
			}
		}
	}
}

// retrying shows a failure once, however often it comes again.
func (t *text) retrying(m moment) {
	if m.Error == t.retried {
		return
	}
	t.retried = m.Error
	t.line(m, t.red("tries again, after: ")+Clean(m.Error, maxMessage))
}

func (t *text) left(m moment) {
	if m.Error != "" {
		t.line(m, t.red("could not say that it leaves: ")+Clean(m.Error, maxMessage))
		return
	}
	t.line(m, "leaves the group")
}
