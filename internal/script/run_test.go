package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// runOnCore runs a script's text on the core.
func runOnCore(t *testing.T, text string) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := mustParse(t, text)
		h, headErr := f.head()
		if headErr != nil {
			err = headErr
			return
		}
		r := newRunner(InProcess.Start(t, h.settings), false)
		defer r.close()
		err = r.run(f, h, Core)
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
	names := newNamebook("")
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

func TestMemberIDsAreCalledAfterTheirClients(t *testing.T) {
	names := newNamebook("")
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
	names := newNamebook("")
	names.bind("P", "P", "P-10000000-0000-4000-8000-000000000000") // a member's name does not matter
	for _, id := range []int64{7, 7, 0} {
		names.bindProducer("P", id)
	}
	names.bindProducer("Q", 7)
	if got := names.transcript(); got.Producer(7) != "$P" || got.Producer(0) != "$P2" || got.Producer(9) != "" {
		t.Errorf("got %s, %s and %q", got.Producer(7), got.Producer(0), got.Producer(9))
	}
}

func TestAScriptThatAsksForWhatABackendLacksIsSkipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("[3.9.2] A: LeaveGroup v5\nA: Heartbeat v4 group=g\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for api, want := range map[string]bool{"Heartbeat": true, "LeaveGroup": false} {
		started, skipped := false, false
		backend := Backend{Name: Core, Lacks: map[string]string{api: "a reason"}, Start: func(t testing.TB, _ map[string]string) Target {
			started = true
			t.SkipNow()
			return nil
		}}
		t.Run(api, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			Run(t, path, backend, false)
		})
		if !skipped || started == want {
			t.Errorf("without %s: skipped %v, started %v", api, skipped, started)
		}
	}
}
