package assignor_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/joinsync/joinsync/assignor"
)

// A part of a problem is the problem of members that subscribe to that part only.
func TestFilterIsAProblemOfLessSubscribed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		less := input{Topics: in.Topics, Members: slices.Clone(in.Members)}
		kept := map[string]bool{}
		for i := range less.Members {
			m := &less.Members[i]
			m.Subs = slices.DeleteFunc(slices.Clone(m.Subs), func(topic string) bool { return !rapid.Bool().Draw(t, m.ID+topic) })
			for _, topic := range m.Subs {
				kept[m.ID+" "+topic] = true
			}
		}
		whole := problemOf(t, in.joinAs(assignor.CooperativeSticky{}), in.cluster())
		got := whole.Filter(func(m, topic int) bool { return kept[whole.Members[m].ID+" "+whole.Topics[topic].Name] })
		want := problemOf(t, less.joinAs(assignor.CooperativeSticky{}), in.cluster())
		if len(got.Topics) != len(want.Topics) || got.Partitions() != want.Partitions() {
			t.Fatalf("topics are %v, want %v, of %v", got.Topics, want.Topics, less)
		}
		for topic := range want.Topics {
			if !reflect.DeepEqual(got.Topics[topic], want.Topics[topic]) || !slices.Equal(got.Subscribers(topic), want.Subscribers(topic)) {
				t.Fatalf("topic %d is %v of %v, want %v of %v", topic, got.Topics[topic], got.Subscribers(topic), want.Topics[topic], want.Subscribers(topic))
			}
		}
		if !reflect.DeepEqual(got.Members, want.Members) && len(got.Topics) > 0 || len(got.Classes) != len(want.Classes) {
			t.Fatalf("members are\n%+v in %v, want\n%+v in %v", got.Members, got.Classes, want.Members, want.Classes)
		}
		for _, a := range builtIns {
			if got, want := planned(t, a, got), planned(t, a, want); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s gives\n%v of the part, but\n%v of the same as a whole, %v", a.Name(), got, want, less)
			}
		}
	})
}

func planned(t fataler, a assignor.Assignor, p *assignor.Problem) map[string]map[string][]int {
	t.Helper()
	plan, err := assignor.Run(context.Background(), a, p)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return sent(t, plan)
}

// byTopic has topics with short names shared out by one, and all others by another.
func byTopic(short, others assignor.Assignor) custom {
	return func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		for _, half := range []struct {
			by    assignor.Assignor
			short bool
		}{{short, true}, {others, false}} {
			part := p.Filter(func(_, topic int) bool { return (len(p.Topics[topic].Name) < 3) == half.short })
			half, err := assignor.Run(ctx, half.by, part)
			if err != nil {
				return err
			}
			plan.Adopt(half)
		}
		return nil
	}
}

func TestPartsMakeAWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		p := problemOf(t, in.joinAs(assignor.CooperativeSticky{}), in.cluster())
		plan, err := assignor.Run(context.Background(), byTopic(assignor.Range{}, assignor.CooperativeSticky{}), p)
		if err != nil {
			t.Fatal(err)
		}
		short := p.Filter(func(_, topic int) bool { return len(p.Topics[topic].Name) < 3 })
		want := planned(t, assignor.Range{}, short) // which may not be its plan of all: by rack it matches topics with each other
		for id, topics := range sent(t, plan) {
			for topic, list := range topics {
				if len(topic) < 3 && !slices.Equal(list, want[id][topic]) {
					t.Fatalf("%s has %v of %s, by range %v, of %v", id, list, topic, want[id][topic], in)
				}
			}
		}
	})
}

// What a part withholds, attaches and notes is that of the whole.
func TestAdoptTakesEverythingOver(t *testing.T) {
	p := problemOf(t, input{Members: []inputMember{
		{ID: "a", Subs: []string{"both"}, Owned: map[string][]int32{"both": {0, 1, 2, 3}}, Generation: new(int32(4))},
		{ID: "b", Subs: []string{"both", "only-b"}},
	}}.joinAs(assignor.CooperativeSticky{}), topics("both", 4, "only-b", 2))
	part, err := assignor.Run(t.Context(), custom(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		plan.SetUserData(1, []byte("for b"))
		plan.Note(assignor.Note{Member: "a", Text: "it has everything"})
		return assignor.CooperativeSticky{}.Assign(ctx, p, plan)
	}), p.Filter(func(_, topic int) bool { return topic == 0 }))
	if err != nil {
		t.Fatal(err)
	}
	plan := assignor.NewPlan(p)
	plan.Adopt(part)
	var kept, moving []int
	for q := range 4 {
		if plan.Owner(0, q) == 0 {
			kept = append(kept, q)
		} else if plan.Owner(0, q) == 1 && plan.Withheld(0, q) {
			moving = append(moving, q)
		}
	}
	if len(kept) != 2 || len(moving) != 2 || plan.Count(0) != 2 || plan.Count(1) != 0 || plan.Owner(1, 0) != -1 {
		t.Errorf("a keeps %v, b is to get %v, counts %d and %d", kept, moving, plan.Count(0), plan.Count(1))
	}
	if string(plan.UserData(1)) != "for b" || len(plan.Notes()) != 1 {
		t.Errorf("user data %q, notes %v", plan.UserData(1), plan.Notes())
	}
	plan.Move(1, 0, kept[0])
	plan.AssignRange(1, 1, 0, 2)
	plan.WithholdMoving()
	if plan.Count(0) != 1 || plan.Count(1) != 2 || plan.Owner(0, kept[0]) != 1 || !plan.Withheld(0, kept[0]) {
		t.Errorf("after a move: counts %d and %d", plan.Count(0), plan.Count(1))
	}
}

func TestComposedPlansAreCheckedToo(t *testing.T) {
	for name, test := range map[string]struct {
		assign func(p *assignor.Problem, plan *assignor.Plan)
		is     error
	}{
		"twice the same":    {func(p *assignor.Problem, plan *assignor.Plan) { plan.Adopt(full(t, p)); plan.Adopt(full(t, p)) }, assignor.ErrDoubled},
		"of something else": {func(_ *assignor.Problem, plan *assignor.Plan) { plan.Adopt(full(t, twoMembers(t))) }, assignor.ErrUnknown},
		"of a part of a part": {func(p *assignor.Problem, plan *assignor.Plan) {
			everything := func(int, int) bool { return true }
			plan.Adopt(full(t, p.Filter(everything).Filter(everything)))
		}, assignor.ErrUnknown},
		"only a part": {func(p *assignor.Problem, plan *assignor.Plan) {
			plan.Adopt(full(t, p.Filter(func(_, topic int) bool { return topic == 1 })))
		}, assignor.ErrPartial},
		"moved to nowhere":   {func(p *assignor.Problem, plan *assignor.Plan) { plan.Adopt(full(t, p)); plan.Move(0, 0, 9) }, assignor.ErrUnknown},
		"moved to a foreign": {func(p *assignor.Problem, plan *assignor.Plan) { plan.Adopt(full(t, p)); plan.Move(0, 1, 0) }, assignor.ErrForeign},
	} {
		_, err := assignor.Run(t.Context(), custom(func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			test.assign(p, plan)
			return nil
		}), twoMembers(t))
		if !errors.Is(err, test.is) {
			t.Errorf("%s: got %v, want %v", name, err, test.is)
		}
	}
}

func full(t *testing.T, p *assignor.Problem) *assignor.Plan {
	plan, err := assignor.Run(t.Context(), assignor.RoundRobin{}, p)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// hooked is an assignor with everything.
type hooked struct{ custom }

func (hooked) UserData(last assignor.Assignment) []byte {
	return append([]byte("of "), last.UserData...)
}

func (hooked) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	return true, time.Duration(a.Generation) * time.Second
}

func TestFallBackIsTheFirstOneWhileThatHasAPlan(t *testing.T) {
	p := twoMembers(t)
	f := assignor.FallBack(assignor.CooperativeSticky{}, assignor.Range{})
	if f.Name() != "cooperative-sticky" || f.Supports() != assignor.Eager {
		t.Errorf("it is %s, and supports %s", f.Name(), f.Supports())
	}
	if got, want := planned(t, f, p), planned(t, assignor.CooperativeSticky{}, p); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for name, first := range map[string]custom{
		"broken":   func(context.Context, *assignor.Problem, *assignor.Plan) error { return errors.New("broken") },
		"panicked": func(context.Context, *assignor.Problem, *assignor.Plan) error { panic("at night") },
		"leaves partitions out": func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
			plan.Assign(0, 0, 0)
			return nil
		},
	} {
		plan, err := assignor.Run(t.Context(), assignor.FallBack(first, assignor.Range{}), p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sent(t, plan), planned(t, assignor.Range{}, p); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if n := plan.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, name) || !strings.Contains(n[0].Text, `the plan is made by "range"`) {
			t.Errorf("%s: notes %v", name, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := custom(func(context.Context, *assignor.Problem, *assignor.Plan) error { cancel(); return ctx.Err() })
	if err := assignor.FallBack(gone, assignor.Range{}).Assign(ctx, p, assignor.NewPlan(p)); !errors.Is(err, context.Canceled) {
		t.Errorf("out of time: %v", err)
	}
}

func TestFallBackHasTheHooksOfTheFirst(t *testing.T) {
	last := assignor.Assignment{Generation: 3, UserData: []byte("three")}
	for _, test := range []struct {
		first  assignor.Assignor
		data   string
		rejoin bool
		after  time.Duration
	}{{hooked{}, "of three", true, 3 * time.Second}, {assignor.Range{}, "", false, 0}} {
		f := assignor.FallBack(test.first, hooked{})
		if data := f.(assignor.UserDataAssignor).UserData(last); string(data) != test.data {
			t.Errorf("user data %q, want %q", data, test.data)
		}
		if rejoin, after := f.(assignor.AssignmentListener).OnAssignment(last); rejoin != test.rejoin || after != test.after {
			t.Errorf("rejoin %t after %v", rejoin, after)
		}
	}
}
