package kgobalancer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// twins is an assignor that fails where its two do not send the same.
type twins struct{ assignor.Assignor }

func (t twins) there() assignor.Assignor {
	return kgobalancer.Assignor(kgobalancer.New(t.Assignor))
}

func (t twins) UserData(last assignor.Assignment) []byte {
	return t.there().(assignor.UserDataAssignor).UserData(last)
}

func (t twins) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	other, err := assignor.Run(ctx, t.there(), p)
	if err != nil {
		return err
	}
	if err := t.Assignor.Assign(ctx, p, plan); err != nil {
		return err
	}
	for m, member := range p.Members {
		if got, want := other.Append(nil, m), plan.Append(nil, m); !bytes.Equal(got, want) {
			return fmt.Errorf("%s is sent %x in kgo, not %x", member.ID, got, want)
		}
	}
	return nil
}

// From our interface into kgo's and back, an assignor sends what it sends without that: with racks, instance ids, generations and
// user data, and whatever members send.
func TestAssignorsAreThemselvesInKgo(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	for _, test := range []struct {
		assignor assignor.Assignor
		options  []assignortest.Option
	}{
		{assignor.Range{}, []assignortest.Option{byTopic}},
		{assignor.RoundRobin{}, []assignortest.Option{balanced}},
		{assignor.Sticky{}, []assignortest.Option{balanced, sticky}},
		{assignor.CooperativeSticky{}, []assignortest.Option{balanced, sticky}},
		{assignor.Standby{}, []assignortest.Option{balanced, sticky}}, // which lives on what is attached to assignments
	} {
		t.Run(test.assignor.Name(), func(t *testing.T) {
			t.Parallel()
			assignortest.Check(t, twins{test.assignor}, test.options...)
		})
	}
}

func TestJoinGroupMetadataIsASubscription(t *testing.T) {
	owned := []protocol.TopicPartitions{{Topic: "a", Partitions: []int32{0, 2}}, {Topic: "b", Partitions: []int32{1}}}
	for _, test := range []struct {
		assignor assignor.Assignor
		want     protocol.Subscription
	}{
		{assignor.Range{}, protocol.Subscription{}},
		{assignor.Sticky{}, protocol.Subscription{UserData: assignor.Sticky{}.UserData(assignor.Assignment{Generation: 7, Partitions: owned})}},
		{assignor.CooperativeSticky{}, protocol.Subscription{UserData: assignor.CooperativeSticky{}.UserData(assignor.Assignment{Generation: 7}), Owned: owned}},
	} {
		test.want.Version, test.want.Topics, test.want.Generation = protocol.ConsumerVersion, []string{"a", "b"}, 7
		b := kgobalancer.New(test.assignor)
		got, err := protocol.DecodeSubscription(b.JoinGroupMetadata([]string{"a", "b"}, map[string][]int32{"b": {1}, "a": {0, 2}}, 7))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", test.assignor.Name(), got, err, test.want)
		}
		if b.ProtocolName() != test.assignor.Name() || b.IsCooperative() != (len(test.want.Owned) > 0) {
			t.Errorf("%s is %s, cooperative: %t", test.assignor.Name(), b.ProtocolName(), b.IsCooperative())
		}
	}
}

// custom is an assignor that does as it is told.
type custom func(p *assignor.Problem, plan *assignor.Plan) error

func (custom) Name() string                         { return "custom" }
func (custom) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (f custom) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(p, plan)
}

// lead has a balancer balance as kgo's leader "a" does.
func lead(t *testing.T, b kgo.GroupBalancer, metadata ...[]byte) (kgo.IntoSyncAssignment, error) {
	t.Helper()
	var members []kmsg.JoinGroupResponseMember
	for i, m := range metadata {
		members = append(members, kmsg.JoinGroupResponseMember{MemberID: string(rune('a' + i)), ProtocolMetadata: m})
	}
	leader, topics, err := b.MemberBalancer(members)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]struct{}{"orders": {}}; !maps.Equal(topics, want) {
		t.Errorf("asks for topics %v, want %v", topics, want)
	}
	leader.(kgo.GroupMemberBalancerInfo).SetBalanceInfo(kgo.BalanceInfo{
		Generation: 9, LeaderID: "a",
		Topics:  func() map[string]kgo.TopicMetadata { return nil },
		Brokers: func() map[int32]kgo.BrokerMetadata { return nil },
	})
	return leader.(kgo.GroupMemberBalancerOrError).BalanceOrError(map[string]int32{"orders": 4})
}

func TestALeaderIsTold(t *testing.T) {
	broken, good := errors.New("broken"), kgobalancer.New(assignor.Range{}).JoinGroupMetadata([]string{"orders"}, nil, -1)
	for name, test := range map[string]struct {
		assign custom
		want   error
		says   string
	}{
		"the assignor's error": {func(*assignor.Problem, *assignor.Plan) error { return broken }, broken, "broken"},
		"its panic":            {func(*assignor.Problem, *assignor.Plan) error { panic(broken) }, broken, "panicked"},
		"a plan with a hole":   {func(*assignor.Problem, *assignor.Plan) error { return nil }, assignor.ErrPartial, `topic "orders"`},
		"who and when it is": {func(p *assignor.Problem, _ *assignor.Plan) error {
			return fmt.Errorf("%w: generation %d, leader %d, self %d", broken, p.Generation, p.Leader, p.Self)
		}, broken, "generation 9, leader 0, self 0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lead(t, kgobalancer.New(test.assign), good, good)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v that says %s", err, test.want, test.says)
			}
		})
	}

	var notes []assignor.Note
	into, err := lead(t, kgobalancer.New(assignor.Range{}, kgobalancer.OnNotes(func(n []assignor.Note) { notes = n })), good, []byte("nonsense"))
	if err != nil || len(into.IntoSyncAssignment()) != 2 {
		t.Fatal(into, err)
	}
	if len(notes) != 1 || notes[0].Member != "b" {
		t.Errorf("notes %v, want one of b", notes)
	}
}
