package adapter_test

import (
	"context"
	"errors"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// custom is an assignor that does as it is told.
type custom func(p *assignor.Problem, plan *assignor.Plan) error

func (custom) Name() string                         { return "custom" }
func (custom) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (f custom) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(p, plan)
}

func TestALeaderPlansAndTellsNotes(t *testing.T) {
	broken, previous, notes := error(nil), []int32(nil), []assignor.Note(nil)
	m := adapter.NewMember(custom(func(p *assignor.Problem, plan *assignor.Plan) error {
		previous = append(previous, p.Previous)
		plan.AssignRange(0, 0, 0, 2)
		return broken
	}), adapter.OnNotes(func(n []assignor.Note) { notes = append(notes, n...) }))

	s := protocol.NewSubscription("t", "u")
	join := assignor.Join{Members: []assignor.JoinedMember{{ID: "a", Metadata: s.AppendTo(nil)}}}
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: "t", Partitions: 2}}}
	plan, err := m.Lead(join, cluster)
	if err != nil || plan.Count(0) != 2 {
		t.Fatal(plan, err)
	}
	if len(notes) != 1 || notes[0].Topic != "u" {
		t.Errorf("notes %v, want one of u", notes)
	}
	m.Assigned(7, nil, nil, nil)
	broken = errors.New("broken")
	if _, err := m.Lead(join, cluster); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if len(previous) != 2 || previous[0] > 0 || previous[1] != 7 {
		t.Errorf("it was last assigned in %v", previous)
	}
}
