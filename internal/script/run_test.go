package script

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// runOnCore runs a script's text on the core.
func runOnCore(t *testing.T, text string) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var s *Script
		if s, err = Parse("a.txt", text); err == nil {
			err = s.Run(t.Context(), inProcess(t))
		}
	})
	return err
}

const defaults = "defaults group=g session=30s rebalance=30s type=consumer protocols=[range:orders]\n"

const leaderWaits = defaults + `
A: JoinGroup v3
  → NONE gen=1 protocol=range leader=$A member=$A members=[$A:orders]
B: JoinGroup v9
  → MEMBER_ID_REQUIRED member=$B
B: JoinGroup v9 member=$B
  parked
`

func TestDifferencesNameTheLineAndBothAnswers(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"another answer", leaderWaits + "A: Heartbeat v4 gen=1 member=$A\n  → NONE\n",
			"a.txt:9: on core\nA: Heartbeat v4 gen=1 member=$A\nexpected:\n  → NONE\ngot:\n  → REBALANCE_IN_PROGRESS"},
		{"parked instead of answered", leaderWaits + "B: JoinGroup v9 member=$B\n  → NONE gen=2\n",
			"expected:\n  → NONE gen=2\ngot:\n  parked"},
		{"answered instead of parked", leaderWaits + "B: Heartbeat v4 gen=1 member=$B\n  parked\n",
			"expected:\n  parked\ngot:\n  → REBALANCE_IN_PROGRESS"},
		{"an answer set free too many", leaderWaits + "A: LeaveGroup v5 members=[$A]\n  → NONE members=[$A:NONE]\n",
			"  → NONE members=[$A:NONE]\n  B JoinGroup → NONE gen=2"},
		{"an answer too few", leaderWaits + "advance 1s\n  B JoinGroup → UNKNOWN_MEMBER_ID\n",
			"expected:\n  B JoinGroup → UNKNOWN_MEMBER_ID\ngot:\n  nothing"},
		{"a parked request too many", leaderWaits + "parked\n", "got:\n  B JoinGroup"},
	} {
		if err := runOnCore(t, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", test.name, err, test.want)
		}
	}
}

// A wrong detail does not hide what else is wrong; after another error code nothing can be told any more.
func TestAScriptGoesOnAfterADifferenceThatLeavesTheCode(t *testing.T) {
	const text = leaderWaits + `A: DescribeGroups v5 groups=[g]
  → groups=[g:NONE(state=Stable)]
A: Heartbeat v4 gen=2 member=$A
  → NONE
A: Heartbeat v4 gen=1 member=$A
  → NONE
`
	differences, ok := errors.AsType[Differences](runOnCore(t, text))
	if !ok || len(differences) != 2 || differences[0].Line != 9 || differences[0].API != "DescribeGroups" || differences[1].Line != 11 {
		t.Errorf("%v", differences)
	}
}

func TestFaultsOfStepsNameTheLineAndTheCure(t *testing.T) {
	for text, want := range map[string]string{
		"advance soon\n":                 "a.txt:1: soon is no duration",
		"sleep 1s\n":                     `a.txt:1: there is no step "sleep"; steps are advance, alone, client, defaults`,
		"A: JoinGroup v9 colour=red\n":   "a.txt:1: JoinGroup has no field \"colour\"",
		"A/B: JoinGroup v9\n":            `a.txt:1: "A/B" is no name of a client`,
		"topics orders\n":                "a.txt:1: \"orders\" is no topic; write orders:4",
		"disconnect A\n":                 "a.txt:1: there is no client A to disconnect",
		"client A id=x\nclient A id=y\n": "a.txt:2: client A is there already",
		"client A name=x\n":              "it has id",
		"defaults group\n":               "a.txt:1: \"group\" is no field",
	} {
		if err := runOnCore(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParkedRequestsOfADisconnectedClientAreForgotten(t *testing.T) {
	if err := runOnCore(t, leaderWaits+"disconnect B\nparked\n"); err != nil {
		t.Error(err)
	}
}

func TestMemberIDsOfAnotherFormStandOut(t *testing.T) {
	names := newNamebook("", "")
	for _, id := range []string{
		"A-10000000-0000-4000-8000-00000000000",   // too short
		"A-10000000-0000-1000-8000-000000000000",  // not random
		"A-10000000-0000-4000-8000-00000000000G",  // no hexadecimal
		"B-10000000-0000-4000-8000-000000000000",  // another client's
		"A10000000-0000-4000-8000-0000000000000",  // no hyphen
		"A-10000000-0000-4000-8000-0000000000000", // too long
	} {
		names.bind("A", "A", id)
		if got := names.transcript().Member(id); got != "" {
			t.Errorf("%s is called %s", id, got)
		}
	}
}

func TestMemberIDsOfAnyFormGetNamesWhereTheFormDoesNotMatter(t *testing.T) {
	names := newNamebook("", "")
	names.anyMember = true
	names.bind("A", "A", "member 1")
	names.bind("A", "A", "")
	if got := names.transcript(); got.Member("member 1") != "$A" || got.Member("") != "" {
		t.Errorf("got %s and %q", got.Member("member 1"), got.Member(""))
	}
}

func TestMemberIDsAreCalledAfterTheirClients(t *testing.T) {
	names := newNamebook("", "")
	first, second := "-10000000-0000-4000-8000-000000000000", "-20000000-0000-4000-8000-000000000000"
	names.bind("A", "", first)
	names.bind("A", "", first)
	names.bind("A", "", second)
	names.bind("B", "", second)
	if got := names.transcript(); got.Member(first) != "$A" || got.Member(second) != "$A2" {
		t.Errorf("got %s and %s", got.Member(first), got.Member(second))
	}
}

func TestProducerIDsAreCalledAfterTheirClients(t *testing.T) {
	names := newNamebook("", "")
	names.bind("P", "P", "P-10000000-0000-4000-8000-000000000000") // a member's name does not matter
	for _, id := range []int64{7, 7, 0} {
		names.bindProducer("P", id)
	}
	names.bindProducer("Q", 7)
	if got := names.transcript(); got.Producer(7) != "$P" || got.Producer(0) != "$P2" || got.Producer(9) != "" {
		t.Errorf("got %s, %s and %q", got.Producer(7), got.Producer(0), got.Producer(9))
	}
}

func TestAScriptThatABackendIsUnfitForIsNotRun(t *testing.T) {
	s, err := Parse("a.txt", "skip 3.9.2: it is old\n\n[3.9.2] A: LeaveGroup v5\n[core] advance 1s\nA: Heartbeat v4 group=g\n  ✗ connection closed\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{{API: "Heartbeat", Key: 12, Version: 4, Refused: true}}
	if got := s.Requests(Kafka440); !slices.Equal(got, want) {
		t.Errorf("it sends %v", got)
	}
	for _, name := range []string{Kafka440, Kafka392} {
		reason := map[string]string{Kafka440: "a reason", Kafka392: "it is old"}[name]
		err := s.Run(t.Context(), Backend{Name: name, Start: func(*Script) (Target, error) { return nil, &Unfit{"a reason"} }})
		if unfit, ok := errors.AsType[*Unfit](err); !ok || unfit.Reason != reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAScriptEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Parse("a.txt", leaderWaits+"advance 10m\n")
		if err != nil {
			t.Fatal(err)
		}
		stop := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, stop)
		defer cancel()
		if err := s.Run(ctx, inProcess(t)); !errors.Is(err, stop) || !strings.HasPrefix(err.Error(), "a.txt:9: ") {
			t.Error(err)
		}
	})
}

func TestAScriptSaysWhatItShowsAndNeeds(t *testing.T) {
	s, err := Parse("join/a.txt", "# It shows something,\n# in two lines.\n# G-001 KIP-394\nsettings group.max.size=2\n# A note.\n\n"+
		"[core] topics payments:1\ndefaults session=10s\nA: JoinGroup v3 group=g session=99ms\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name() != "join/a" || s.Title() != "It shows something, in two lines." || s.Rules() != "G-001 KIP-394" {
		t.Errorf("%q, %q, %q", s.Name(), s.Title(), s.Rules())
	}
	if !s.Has("topics", Core) || s.Has("topics", Kafka440) || s.Has("drop", Core) || s.Settings()["group.max.size"] != "2" {
		t.Errorf("its topics or settings are others: %v", s.Settings())
	}
	if got := s.SessionTimeouts(); !slices.Equal(got, []time.Duration{10 * time.Second, 99 * time.Millisecond}) {
		t.Error(got)
	}
}
