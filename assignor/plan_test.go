package assignor_test

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

func TestPlanCarriesUserDataAndNotes(t *testing.T) {
	p := twoMembers(t)
	plan, err := assignor.Run(t.Context(), custom(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		plan.SetUserData(1, []byte("for b"))
		plan.Note(assignor.Note{Member: "a", Text: "its user data makes no sense"})
		return assignor.Range{}.Assign(ctx, p, plan)
	}), p)
	if err != nil {
		t.Fatal(err)
	}
	for m, want := range [][]byte{nil, []byte("for b")} {
		got, err := protocol.DecodeAssignment(plan.Append([]byte("before"), m)[len("before"):])
		if err != nil || got.Version != protocol.ConsumerVersion || !reflect.DeepEqual(got.UserData, want) || !reflect.DeepEqual(plan.UserData(m), want) {
			t.Errorf("member %d: got %v, %v, want user data %q", m, got, err, want)
		}
	}
	want := []assignor.Note{{Member: "a", Text: "its user data makes no sense"}}
	if got := plan.Notes(); !reflect.DeepEqual(got, want) {
		t.Errorf("notes: got %v, want %v", got, want)
	}
}

func TestPlanKnowsOwnersWhileItIsFilled(t *testing.T) {
	plan := assignor.NewPlan(twoMembers(t))
	counts := func() [2]int { return [2]int{plan.Count(0), plan.Count(1)} }
	if got := counts(); got != [2]int{0, 0} {
		t.Errorf("an empty plan counts %v", got)
	}
	plan.AssignRange(0, 0, 1, 3)
	if got := counts(); got != [2]int{2, 0} {
		t.Errorf("after the first range: %v", got)
	}
	plan.Assign(1, 1, 1)
	if got := counts(); got != [2]int{2, 1} {
		t.Errorf("after one more: %v", got)
	}
	owners := []int{plan.Owner(0, 0), plan.Owner(0, 1), plan.Owner(0, 2), plan.Owner(0, 3), plan.Owner(1, 0), plan.Owner(1, 1)}
	if want := []int{-1, 0, 0, -1, -1, 1}; !reflect.DeepEqual(owners, want) {
		t.Errorf("owners: got %v, want %v", owners, want)
	}
	for topic, partition := range plan.Partitions(0) {
		if topic != 0 || partition != 1 {
			t.Errorf("the first partition of a is %d of topic %d", partition, topic)
		}
		break
	}
}

// TestPlanIsReadConcurrently fails under the race detector if a plan changes after Run.
func TestPlanIsReadConcurrently(t *testing.T) {
	plan, err := assignor.Run(t.Context(), assignor.RoundRobin{}, twoMembers(t))
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			if n := plan.Count(0) + plan.Count(1); n != 6 {
				t.Errorf("%d partitions", n)
			}
			sent(t, plan)
		})
	}
	readers.Wait()
}
