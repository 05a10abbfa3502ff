package timeline

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"
)

// show prints events to a string.
func show(t *testing.T, cfg Config, events ...Event) string {
	t.Helper()
	var out bytes.Buffer
	cfg.Out = &out
	line := New(cfg)
	for _, e := range events {
		line.Add(e)
	}
	if err := line.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostile is what a peer may send as a name, a topic or an error.
var hostile = "\x1b[2J\r\n\a" + strings.Repeat("very long ", 40) + strings.Repeat("x", 3000) + "\u202e\u0000"

// everything has an event of each kind, made of hostile strings.
func everything() (events []Event) {
	many := make(Partitions)
	for i := range int32(2000) {
		many[hostile] = append(many[hostile], 2*i)
	}
	offsets := Offsets{hostile: {7: 1 << 62, 8: -1}}
	members := []Member{{Name: hostile, ID: hostile, Topics: []string{hostile, ""}, Partitions: many}, {}}
	for range 100 {
		members = append(members, Member{Name: "m", Partitions: Partitions{hostile: {1}}})
	}
	for _, kind := range kinds {
		e := Event{
			Kind: kind, Member: hostile, MemberID: hostile, Group: hostile, Generation: 7, Protocol: hostile, Leader: hostile,
			Reason: hostile, Protocols: []Offer{{Name: hostile, Topics: []string{hostile}}}, Members: members,
			Partitions: many, Offsets: offsets, Error: hostile,
		}
		switch kind {
		case Opened, Killed, Check, Closed, Partition: // ours
			e.Text, e.Outcome = "some text", &Outcome{Detail: "some detail"}
			e.Story = &Story{Topic: "orders", Owners: []string{"anna", ""}}
		default:
			e.Text = hostile
		}
		events = append(events, e)
	}
	return events
}

func TestWhatPeersSendStaysWithinItsLines(t *testing.T) {
	for _, width := range []int{1, 72, 80, 100, 500} {
		for line := range strings.Lines(show(t, Config{Width: width}, everything()...)) {
			line = strings.TrimSuffix(line, "\n")
			if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
				t.Fatalf("width %d: unprintable at %d of %.200q", width, i, line)
			}
			if n := len([]rune(line)); n > max(72, min(width, 100)) {
				t.Errorf("width %d: %d columns: %.200s", width, n, line)
			}
		}
	}
}

func TestNoColourUnlessAsked(t *testing.T) {
	event := Event{Kind: Started, Member: "anna"}
	if got := show(t, Config{}, event); strings.Contains(got, "\x1b") {
		t.Errorf("coloured: %q", got)
	}
	if got := show(t, Config{Color: true}, event); !strings.Contains(got, "\x1b[36manna\x1b[0m starts") {
		t.Errorf("not coloured: %q", got)
	}
}

func TestLinesOfASingleEvent(t *testing.T) {
	some := Partitions{"orders": {0, 1, 2, 5}, "payments": {3}}
	for _, test := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"released", []Event{{Kind: Released, Member: "anna", Partitions: some}}, "anna gives up orders 0-2,5, payments 3\n"},
		{"released after work", []Event{
			{Kind: Consumed, Member: "anna", Records: 1},
			{Kind: Committed, Member: "anna", Offsets: Offsets{"orders": {0: 5, 1: 7}}},
			{Kind: Committed, Member: "anna", Offsets: Offsets{"orders": {0: 6}}},
			{Kind: Released, Member: "anna", Partitions: Partitions{"orders": {0, 1}}},
		}, "anna gives up orders 0-1 after 1 record; committed orders 0@6 1@7\n"},
		{"lost", []Event{
			{Kind: Rejoining, Member: "anna", Reason: "no heartbeat came through"},
			{Kind: Released, Member: "anna", Lost: true},
		}, "anna has lost nothing, and joins again: no heartbeat came through\n"},
		{"leaving", []Event{{Kind: Left, Member: "anna"}}, "anna leaves the group\n"},
		{"leaving in vain", []Event{{Kind: Left, Member: "anna", Error: "no connection"}},
			"anna could not say that it leaves: no connection\n"},
		{"retrying", []Event{{Kind: Retrying, Member: "anna", Error: "no connection"}}, "anna tries again, after: no connection\n"},
		{"retrying for long", []Event{
			{Kind: Retrying, Member: "anna", Error: "no connection"},
			{Kind: Retrying, Member: "anna", Error: "no connection"},
		}, "anna tries again, after: no connection\n"},
		{"told to leave", []Event{{Kind: Leaving, Member: "anna", Reason: "interrupt"}}, "anna is to leave: interrupt\n"},
		{"ended", []Event{{Kind: Ended, Member: "anna", Error: "whoever started it says so"}}, ""},
		{"resumed", []Event{{Kind: Fetched, Member: "anna", Offsets: Offsets{"orders": {3: 8, 4: -1}}}},
			"anna resumes at the committed offsets orders 3@8 4@-\n"},
		{"begins", []Event{{Kind: Fetched, Member: "anna", Offsets: Offsets{"orders": {3: -1}}}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := show(t, Config{}, test.events...)
			if test.want != "" {
				test.want = "  0.00s  " + test.want
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestBars(t *testing.T) {
	all := func(count int32) (p []int32) {
		for i := range count {
			p = append(p, i)
		}
		return p
	}
	for _, test := range []struct {
		name    string
		members []Partitions
		want    []string
		known   Counts
	}{
		{"a follower's", []Partitions{{"a": {1}}}, []string{"··· ███ ···"}, Counts{"a": 3}},
		{"nothing at all", []Partitions{nil}, []string{""}, nil},
		{"few", []Partitions{{"a": {0, 2}}, {"a": {1}}}, []string{"███ ··· ███", "··· ███ ···"}, nil},
		{"two topics", []Partitions{{"a": {0}, "b": {0}}, {"a": {1}, "b": {1}}}, []string{"███ ···│███ ···", "··· ███│··· ███"}, nil},
		{"twelve", []Partitions{{"a": all(11)}, {"a": {11}}}, []string{"███████████·", "···········█"}, nil},
		{"a thousand", []Partitions{{"a": all(750)}, {"a": {999}}}, []string{
			"████████████████████████········", "·······························▒"}, nil},
		{"more topics than cells", []Partitions{{"a": all(1000), "b": {0}}}, []string{strings.Repeat("█", 32)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var members []Member
			for _, p := range test.members {
				members = append(members, Member{Partitions: p})
			}
			same := func(s string) string { return s }
			g := newGrid(test.known, members)
			for i, want := range test.want {
				if got := g.bar(test.members[i], same, same); got != want {
					t.Errorf("member %d has %q, want %q", i, got, want)
				}
			}
		})
	}
}

func TestShortNames(t *testing.T) {
	const one, other = "-3b22f4ee-9081-4f31-9f29-eca52bd4e71d", "-1b40c37c-dfb8-48e8-a854-bb8e43f66a60"
	names := ShortNames([]string{"anna" + one, "b-c" + one, "b-c" + other, one, "hand-made", ""})
	want := map[string]string{"anna" + one: "anna", "b-c" + one: "b-c-3b22", "b-c" + other: "b-c-1b40", one: one[1:],
		"hand-made": "hand-made", "": ""}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// stuck is an output that takes nothing until it is told to.
type stuck struct {
	released chan struct{}
	bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.released
	return s.Buffer.Write(p)
}

func TestASlowOutputHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{released: make(chan struct{})}
		line := New(Config{Out: out, JSON: true})
		line.Add(Event{Kind: Started})
		synctest.Wait()
		for range maxQueue + 5 {
			line.Add(Event{Kind: Started})
		}
		close(out.released)
		if err := line.Close(); err != nil {
			t.Fatal(err)
		}
		line.Add(Event{Kind: Started}) // too late, and without effect
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 1+maxQueue+1 || lines[len(lines)-1] != `{"at_ms":0,"event":"dropped","records":5}` {
			t.Errorf("%d lines, the last is %s", len(lines), lines[len(lines)-1])
		}
	})
}

// broken is an output that fails.
type broken struct{}

var errBroken = errors.New("disk full")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestCloseReturnsTheErrorOfTheOutput(t *testing.T) {
	line := New(Config{Out: broken{}})
	line.Add(Event{Kind: Started})
	line.Add(Event{Kind: Started})
	if err := line.Close(); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

// kinds are all kinds.
var kinds = []Kind{Opened, Started, JoinGroup, MemberID, Joined, Planned, SyncGroup, Synced, Assigned, Generation, Rejoining,
	Released, Fetched, Committed, Consumed, Retrying, Leaving, Left, Killed, Removed, Rebalance, Ended, Warning, Partition, Check, Closed,
	Dropped}

func TestEveryKindIsDocumented(t *testing.T) {
	for _, kind := range kinds {
		if !strings.Contains(Fields, "\n  "+string(kind)+" ") {
			t.Errorf("json.txt does not say what %s is", kind)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Event]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" && !strings.Contains(Fields, name) {
			t.Errorf("json.txt does not mention the field %s", name)
		}
	}
}
