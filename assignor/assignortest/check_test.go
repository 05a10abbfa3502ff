package assignortest_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

func TestRangeIsSound(t *testing.T) {
	assignortest.Check(t, assignor.Range{}, assignortest.BalancedByTopic(1))
}

func TestRoundRobinIsSound(t *testing.T) {
	assignortest.Check(t, assignor.RoundRobin{}, assignortest.Balanced(1))
}

func TestStickyIsSound(t *testing.T) {
	assignortest.Check(t, assignor.Sticky{}, assignortest.Balanced(1), assignortest.Sticky(0))
}

func TestCooperativeStickyIsSound(t *testing.T) {
	assignortest.Check(t, assignor.CooperativeSticky{}, assignortest.Balanced(1), assignortest.Sticky(0))
}

// TestStandbyIsSound under both protocols, and once more as one that knows the eager one only, as then all promises are held to.
func TestStandbyIsSound(t *testing.T) {
	assignortest.Check(t, assignor.Standby{}, assignortest.Balanced(1), assignortest.Sticky(0))
	assignortest.Check(t, eager{assignor.Standby{}}, assignortest.Balanced(1), assignortest.Sticky(0))
}

type eager struct{ assignor.Standby }

func (eager) Supports() assignor.RebalanceProtocol { return assignor.Eager }

// TestReplayReadsTheCasesOfTheVectors: those on which Java's assignors go wrong, and one that ours would if it ignored what is claimed.
func TestReplayReadsTheCasesOfTheVectors(t *testing.T) {
	const rivals = `{"topics":[{"name":"t","parts":4}],"members":[` +
		`{"id":"a","subs":["t"],"owned":{"t":[2,3]},"gen":5,"v":1},{"id":"b","subs":["t"],"owned":{"t":[0,1]},"gen":5,"v":1}]}`
	assignortest.Replay(t, assignor.Sticky{}, rivals, assignortest.Balanced(1), assignortest.Sticky(0))
	r := &recorder{}
	assignortest.Replay(r, assignor.Range{}, rivals, assignortest.Sticky(0))
	if r.failure("sticky") == nil || len(r.failures) != 1 {
		t.Errorf("range moves 4 partitions, and fails %s", r)
	}
}

func TestReplayTellsOfBadInputs(t *testing.T) {
	for input, want := range map[string]string{
		`{"topics":[`: "the input cannot be read",
		`{"topics":[{"name":"t","parts":1},{"name":"t","parts":1}],"members":[{"id":"a","subs":["t"]}]}`: `"readable"`,
		`{"topics":[],"members":[{"id":"a"},{"id":"a"}]}`:                                                `"readable"`,
		`{"topics":[{"name":"t","parts":-1}],"members":[{"id":"a","subs":["t"]}]}`:                       `"readable"`,
		`{"topics":[{"name":"t","parts":2,"racks":[[]]}],"members":[{"id":"a","subs":["t"]}]}`:           `"readable"`,
	} {
		r := &recorder{}
		assignortest.Replay(r, assignor.Range{}, input)
		if len(r.failures) != 1 || !strings.Contains(r.String(), want) {
			t.Errorf("%s: got %q, want %q", input, r, want)
		}
	}
}

// nameless says something of itself that cannot be.
type nameless struct {
	fake
	name     string
	supports assignor.RebalanceProtocol
}

func (n nameless) Name() string                         { return n.name }
func (n nameless) Supports() assignor.RebalanceProtocol { return n.supports }

func TestWhatAnAssignorSaysOfItselfIsChecked(t *testing.T) {
	for want, a := range map[string]assignor.Assignor{
		"its name is empty":    nameless{turns, "", assignor.Eager},
		"Supports returns 0x0": nameless{turns, "none", 0},
		"Supports returns 0x9": nameless{turns, "more", 9},
		"nil *nameless":        (*nameless)(nil),
	} {
		r := &recorder{}
		assignortest.Check(r, a)
		if len(r.failures) != 1 || !strings.Contains(r.String(), want) {
			t.Errorf("got %s, want %q", r, want)
		}
	}
}

// TestCheckEndsAfterAMinute with assignors that keep within their time each time, and are slow.
func TestCheckEndsAfterAMinute(t *testing.T) {
	for name, test := range map[string]struct {
		each  time.Duration
		check string
	}{"among the known troublemakers": {time.Second, "ends"}, "later": {150 * time.Millisecond, ""}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, r := time.Now(), &recorder{}
				assignortest.Check(r, fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
					time.Sleep(test.each)
					return turns(ctx, p, plan)
				}))
				if took := time.Since(began); took < time.Minute || took > 90*time.Second {
					t.Errorf("it took %v", took)
				}
				if (test.check != "") != (r.failure(test.check) != nil) || test.check == "" && len(r.failures) > 0 {
					t.Errorf("failed are %s", r)
				}
			})
		})
	}
}

// TestUserDataThatDoesNotEndIsLeftBehind as Assign is.
func TestUserDataThatDoesNotEndIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	r := &recorder{}
	assignortest.Check(r, waiting{turns, release}, assignortest.Within(50*time.Millisecond))
	if len(r.failures) != 1 || !strings.Contains(r.String(), `"ends": UserData`) {
		t.Errorf("got %s", r)
	}
}

type waiting struct {
	fake
	release chan struct{}
}

func (w waiting) UserData(assignor.Assignment) []byte {
	<-w.release
	return nil
}

// TestOnlyWhoImportsThisPackageGetsRapid holds the library to what the package comment says.
func TestOnlyWhoImportsThisPackageGetsRapid(t *testing.T) {
	const rapid = "pgregory.net/rapid"
	for pattern, want := range map[string]bool{".": true, "..": false, "../../client/...": false, "../../coordinator/...": false, "../../cmd/...": false} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pattern).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", pattern, err)
		}
		if got := slices.Contains(strings.Fields(string(out)), rapid); got != want {
			t.Errorf("%s depends on %s: %t, want %t", pattern, rapid, got, want)
		}
	}
}

// zoned is sticky by what members own, and has them tell something else in their user data.
type zoned struct{ assignor.CooperativeSticky }

func (zoned) UserData(assignor.Assignment) []byte { return []byte("eu") }

func TestStickyWithoutOwnersInUserData(t *testing.T) {
	assignortest.Check(t, zoned{}, assignortest.Balanced(1), assignortest.Sticky(0))
}
