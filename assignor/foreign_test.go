package assignor_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// A problem made of the subscriptions that a problem tells is the same problem.
func TestSubscriptionTellsWhatAProblemHolds(t *testing.T) {
	cluster := topics("t0", 2, "t1", 3)
	full := subscription(func(s *protocol.Subscription) {
		s.UserData, s.Generation, s.Rack = []byte("own"), 7, "east"
		s.Owned = []protocol.TopicPartitions{{Topic: "t1", Partitions: []int32{2, 0}}, {Topic: "t0", Partitions: []int32{1}}}
	}, "t1", "t0")
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
		joined("a", full), joined("b", subscription(nil, "t1")), joined("c", subscription(nil)),
	}}, cluster)
	var join assignor.Join
	for m, member := range p.Members {
		s := p.Subscription(m)
		join.Members = append(join.Members, joined(member.ID, s.AppendTo(nil)))
	}
	again := problemOf(t, join, cluster)
	if !reflect.DeepEqual(again.Members, p.Members) || !reflect.DeepEqual(again.Classes, p.Classes) || !reflect.DeepEqual(again.Topics, p.Topics) {
		t.Errorf("got  %+v\nwant %+v", again, p)
	}
}

func TestPlansByName(t *testing.T) {
	type plan = map[string]map[string][]int32
	for name, test := range map[string]struct {
		plan plan
		want error
	}{
		"whole":                     {plan{"a": {"t0": {0}, "t1": {0, 1, 2}}, "b": {"t0": {1}}}, nil},
		"nothing of what is not":    {plan{"a": {"t0": {0, 1}, "t1": {0, 1, 2}, "t2": nil}, "z": {"t0": nil}}, nil},
		"a member that is not":      {plan{"a": {"t0": {0, 1}, "t1": {0, 1}}, "z": {"t1": {2}}}, assignor.ErrUnknown},
		"a topic that is not":       {plan{"a": {"t0": {0, 1}, "t1": {0, 1, 2}, "t2": {0}}}, assignor.ErrUnknown},
		"a partition that is not":   {plan{"a": {"t0": {0, 1}, "t1": {0, 1, 2, 3}}}, assignor.ErrUnknown},
		"a partition twice":         {plan{"a": {"t0": {0, 1}, "t1": {0, 1, 2}}, "b": {"t0": {1}}}, assignor.ErrDoubled},
		"a topic not subscribed to": {plan{"a": {"t0": {0, 1}, "t1": {0, 1}}, "b": {"t1": {2}}}, assignor.ErrForeign},
		"a partition left out":      {plan{"a": {"t0": {0, 1}, "t1": {0, 1}}}, assignor.ErrPartial},
	} {
		t.Run(name, func(t *testing.T) {
			p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
				joined("a", subscription(nil, "t0", "t1")), joined("b", subscription(nil, "t0")),
			}}, topics("t0", 2, "t1", 3))
			_, err := assignor.Run(t.Context(), custom(func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
				plan.AssignByName(test.plan)
				return nil
			}), p)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestWhatAForeignPlanLeavesOutIsWithheldWhereItIsClaimed(t *testing.T) {
	owning := func(partitions ...int32) func(*protocol.Subscription) {
		return func(s *protocol.Subscription) {
			s.Owned = []protocol.TopicPartitions{{Topic: "t", Partitions: partitions}}
		}
	}
	for name, test := range map[string]struct {
		b        []int32 // what b claims; a claims 0 and 1
		planned  map[string]map[string][]int32
		withheld []bool
	}{
		"one claims it":        {nil, map[string]map[string][]int32{"a": {"t": {0}}}, []bool{false, true}},
		"all claim it":         {[]int32{1}, map[string]map[string][]int32{"a": {"t": {0}}}, []bool{false, true}},
		"nothing is left out":  {[]int32{1}, map[string]map[string][]int32{"a": {"t": {0}}, "b": {"t": {1}}}, []bool{false, false}},
		"everything, for once": {nil, nil, []bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
				joined("a", subscription(owning(0, 1), "t")), joined("b", subscription(owning(test.b...), "t")),
			}}, topics("t", 2))
			plan, err := assignor.Run(t.Context(), custom(func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
				plan.AssignByName(test.planned)
				plan.WithholdRest()
				return nil
			}), p)
			if err != nil {
				t.Fatal(err)
			}
			if got := []bool{plan.Withheld(0, 0), plan.Withheld(0, 1)}; !reflect.DeepEqual(got, test.withheld) {
				t.Errorf("withheld: got %v, want %v", got, test.withheld)
			}
		})
	}

	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", subscription(owning(0), "t"))}}, topics("t", 2))
	_, err := assignor.Run(t.Context(), custom(func(_ context.Context, _ *assignor.Problem, plan *assignor.Plan) error {
		plan.WithholdRest()
		return nil
	}), p)
	if !errors.Is(err, assignor.ErrPartial) {
		t.Errorf("what nobody else claims cannot be withheld, nor what nobody claims: %v", err)
	}
}
