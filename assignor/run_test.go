package assignor_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// custom is an assignor that does as it is told.
type custom func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error

func (custom) Name() string                         { return "custom" }
func (custom) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (f custom) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(ctx, p, plan)
}

// twoMembers is members a and b on the topic "both" (4 partitions), and b on "only-b" (2).
func twoMembers(t *testing.T) *assignor.Problem {
	return problemOf(t, input{Members: []inputMember{
		{ID: "a", Subs: []string{"both"}},
		{ID: "b", Subs: []string{"both", "only-b"}},
	}}.join(), topics("both", 4, "only-b", 2))
}

func TestRunRefusesPlansThatBreakTheRules(t *testing.T) {
	const a, b, both, onlyB = 0, 1, 0, 1
	tests := []struct {
		name   string
		assign func(plan *assignor.Plan)
		is     error
		says   []string
	}{
		{"nothing is assigned", func(*assignor.Plan) {}, assignor.ErrPartial, []string{"6 of 6", "partition 0", `"both"`}},
		{"one partition is left out", func(plan *assignor.Plan) {
			plan.AssignRange(a, both, 0, 4)
			plan.Assign(b, onlyB, 0)
		}, assignor.ErrPartial, []string{"1 of 6", "partition 1", `"only-b"`, "assign every partition"}},
		{"one partition goes to two", func(plan *assignor.Plan) {
			plan.AssignRange(a, both, 0, 4)
			plan.AssignRange(b, both, 2, 3)
		}, assignor.ErrDoubled, []string{"partition 2", `"both"`, `"a"`, `"b"`, "once"}},
		{"one partition goes to a member twice", func(plan *assignor.Plan) {
			plan.Assign(a, both, 3)
			plan.Assign(a, both, 3)
		}, assignor.ErrDoubled, []string{"partition 3", `"both"`}},
		{"a member does not subscribe", func(plan *assignor.Plan) {
			plan.Assign(a, onlyB, 1)
		}, assignor.ErrForeign, []string{"partition 1", `"only-b"`, `"a"`, "Subscribers"}},
		{"no such partition", func(plan *assignor.Plan) { plan.AssignRange(a, both, 3, 5) }, assignor.ErrUnknown, []string{`"both"`, "has 4"}},
		{"a negative partition", func(plan *assignor.Plan) { plan.Assign(a, both, -1) }, assignor.ErrUnknown, []string{`"both"`}},
		{"a range from behind", func(plan *assignor.Plan) { plan.AssignRange(a, both, 3, 1) }, assignor.ErrUnknown, []string{`"both"`}},
		{"no such topic", func(plan *assignor.Plan) { plan.Assign(a, 2, 0) }, assignor.ErrUnknown, []string{"topic 2"}},
		{"no such member", func(plan *assignor.Plan) { plan.Assign(2, both, 0) }, assignor.ErrUnknown, []string{"member 2"}},
		{"user data for no such member", func(plan *assignor.Plan) { plan.SetUserData(-1, nil) }, assignor.ErrUnknown, []string{"member -1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plan, err := assignor.Run(t.Context(), custom(func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
				test.assign(plan)
				return nil
			}), twoMembers(t))
			if !errors.Is(err, test.is) || plan != nil {
				t.Fatalf("got %v and %v, want no plan and an error that is %q", plan, err, test.is)
			}
			for _, part := range append(test.says, `"custom"`) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %s: %v", part, err)
				}
			}
		})
	}
}

func TestRunReportsTheFirstFault(t *testing.T) {
	_, err := assignor.Run(t.Context(), custom(func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
		plan.Assign(0, 1, 0) // a does not subscribe to only-b
		plan.Assign(7, 0, 0)
		return nil
	}), twoMembers(t))
	if !errors.Is(err, assignor.ErrForeign) {
		t.Errorf("got %v", err)
	}
}

func TestRunPassesOnTheAssignorsError(t *testing.T) {
	own := errors.New("no lag known")
	_, err := assignor.Run(t.Context(), custom(func(context.Context, *assignor.Problem, *assignor.Plan) error { return own }), twoMembers(t))
	if !errors.Is(err, own) || !strings.Contains(err.Error(), `"custom"`) {
		t.Errorf("got %v", err)
	}
}

func TestRunSurvivesPanics(t *testing.T) {
	own := errors.New("own")
	for _, value := range []any{"boom", 7, own} {
		_, err := assignor.Run(t.Context(), custom(func(context.Context, *assignor.Problem, *assignor.Plan) error { panic(value) }), twoMembers(t))
		var p *assignor.PanicError
		if !errors.As(err, &p) || p.Value != value || p.Assignor != "custom" || !strings.Contains(string(p.Stack), "TestRunSurvivesPanics") {
			t.Errorf("panic(%v): got %v", value, err)
		}
		if errors.Is(err, own) != (value == own) {
			t.Errorf("panic(%v): errors.Is(err, own) is %t", value, errors.Is(err, own))
		}
	}
}

func TestRunSurvivesAnIndexOutOfRange(t *testing.T) {
	_, err := assignor.Run(t.Context(), custom(func(_ context.Context, p *assignor.Problem, _ *assignor.Plan) error {
		_ = p.Subscribers(len(p.Topics))
		return nil
	}), twoMembers(t))
	var p *assignor.PanicError
	if !errors.As(err, &p) {
		t.Errorf("got %v", err)
	}
}

func TestRunSurvivesAnAssignorThatEndsItsGoroutine(t *testing.T) {
	_, err := assignor.Run(t.Context(), custom(func(context.Context, *assignor.Problem, *assignor.Plan) error {
		runtime.Goexit()
		return nil
	}), twoMembers(t))
	var p *assignor.PanicError
	if !errors.As(err, &p) {
		t.Errorf("got %v", err)
	}
}

func TestRunLeavesBehindAnAssignorThatIgnoresItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan struct{})
	_, err := assignor.Run(ctx, custom(func(context.Context, *assignor.Problem, *assignor.Plan) error {
		defer close(ended)
		cancel()
		<-release
		return nil
	}), twoMembers(t))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `"custom"`) {
		t.Errorf("got %v", err)
	}
	close(release)
	<-ended
}

func TestRunDoesNotStartOnceTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, a := range slices.Concat(builtIns, []assignor.Assignor{custom(nil)}) {
		if _, err := assignor.Run(ctx, a, twoMembers(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", a.Name(), err)
		}
	}
}

func TestBuiltInsStopWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := twoMembers(t)
	for _, a := range builtIns {
		if err := a.Assign(ctx, p, assignor.NewPlan(p)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", a.Name(), err)
		}
	}
}

// G-501: a cooperative assignor has to wait until the owner has given up what moves.
func TestRunRefusesToTakeFromAnOwner(t *testing.T) {
	p := problemOf(t, input{Members: []inputMember{
		{ID: "a", Subs: []string{"t"}, Owned: map[string][]int32{"t": {0, 1}}, Generation: new(int32(3))},
		{ID: "b", Subs: []string{"t"}, Owned: map[string][]int32{"t": {1}}, Generation: new(int32(3))},
	}}.joinAs(assignor.CooperativeSticky{}), topics("t", 2))
	for name, test := range map[string]struct {
		assign func(*assignor.Plan)
		taken  bool
	}{
		"from one":           {func(plan *assignor.Plan) { plan.AssignRange(1, 0, 0, 2) }, true},
		"withheld":           {func(plan *assignor.Plan) { plan.AssignRange(1, 0, 0, 2); plan.WithholdMoving() }, false},
		"withheld too early": {func(plan *assignor.Plan) { plan.WithholdMoving(); plan.AssignRange(1, 0, 0, 2) }, true},
		"moved after that":   {func(plan *assignor.Plan) { plan.AssignRange(0, 0, 0, 2); plan.WithholdMoving(); plan.Move(1, 0, 0) }, true},
		"from one of two":    {func(plan *assignor.Plan) { plan.AssignRange(0, 0, 0, 2) }, false},
		"kept":               {func(plan *assignor.Plan) { plan.Assign(0, 0, 0); plan.Assign(1, 0, 1) }, false},
	} {
		_, err := assignor.Run(t.Context(), cooperative{func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
			test.assign(plan)
			return nil
		}}, p)
		if errors.Is(err, assignor.ErrTaken) != test.taken || err != nil && !test.taken {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// cooperative is custom, for cooperative members.
type cooperative struct{ custom }

func (cooperative) Supports() assignor.RebalanceProtocol { return assignor.Cooperative }
