package kgobalancer_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/internal/adapter/peertest"
	"github.com/joinsync/joinsync/protocol"
)

func TestBalancersOfKgoAreAssignors(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	faults := []peertest.Fault{
		// Who begins with nothing is given partitions in the order of a map.
		{Check: "deterministic", Input: `{"topics":[{"name":"t0","parts":1},{"name":"t1","parts":1}],"members":[{"id":"m0","subs":["t0","t1"]},` +
			`{"id":"m1","subs":["t0","t1"]}]}`},
		// It gives to a stale one what its successor could keep (KIP-341).
		{Check: "sticky", Input: `{"topics":[{"name":"t0","parts":3}],"members":[{"id":"m0","subs":["t0"],"owned":{"t0":[0]}},` +
			`{"id":"m1","subs":["t0"],"owned":{"t0":[0,1]},"gen":4}]}`},
	}
	for _, test := range []struct {
		balancer kgo.GroupBalancer
		faults   []peertest.Fault
		promises []assignortest.Option
	}{
		{kgo.RangeBalancer(), nil, []assignortest.Option{byTopic}},
		{kgo.RoundRobinBalancer(), nil, []assignortest.Option{balanced}},
		{kgo.StickyBalancer(), faults, []assignortest.Option{balanced, sticky}},
		{kgo.CooperativeStickyBalancer(), faults, []assignortest.Option{balanced, sticky}},
	} {
		t.Run(test.balancer.ProtocolName(), func(t *testing.T) {
			t.Parallel()
			peertest.Check(t, kgobalancer.Assignor(test.balancer), test.faults, test.promises...)
		})
	}
}

// idle is a balancer that returns no plan.
type idle struct{ kgo.GroupBalancer }

func (idle) MemberBalancer([]kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	return idleLeader{}, nil, nil
}

func (idle) JoinGroupMetadata([]string, map[string][]int32, int32) []byte { return []byte("{}") }

type idleLeader struct{}

func (idleLeader) Balance(map[string]int32) kgo.IntoSyncAssignment { return nil }

func TestABalancerWithoutAPlanIsToldSo(t *testing.T) {
	s := protocol.NewSubscription("orders")
	group, err := assignor.Decode(assignor.Join{Members: []assignor.JoinedMember{{ID: "a", Metadata: s.AppendTo(nil)}}})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := group.Problem(assignor.Cluster{Topics: []assignor.Topic{{Name: "orders", Partitions: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	a := kgobalancer.Assignor(idle{kgo.RangeBalancer()})
	if _, err := assignor.Run(t.Context(), a, problem); err == nil || !strings.Contains(err.Error(), "neither a plan nor an error") {
		t.Errorf("got %v", err)
	}
	if data := a.(assignor.UserDataAssignor).UserData(assignor.Assignment{Generation: -1}); data != nil {
		t.Errorf("user data %q of what is no subscription", data)
	}
}

// There and back, an assignor sees the same problem, and what it attaches arrives.
func TestNothingIsLostOnTheWay(t *testing.T) {
	s := protocol.Subscription{Version: 3, Topics: []string{"orders"}, UserData: []byte("own"), Generation: 6, Rack: "east",
		Owned: []protocol.TopicPartitions{{Topic: "orders", Partitions: []int32{1}}}}
	group, err := assignor.Decode(assignor.Join{Generation: 7, Leader: "b", Self: "b", Members: []assignor.JoinedMember{
		{ID: "a", Metadata: s.AppendTo(nil)}, {ID: "b", InstanceID: "i", Metadata: s.AppendTo(nil)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := group.Problem(assignor.Cluster{
		Topics: []assignor.Topic{{Name: "orders", Partitions: 3, Replicas: [][]int32{{2, 1}, {1}, {-1, 2}}}},
		Racks:  map[int32]string{1: "east", 2: "west"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen assignor.Problem
	a := kgobalancer.Assignor(kgobalancer.New(custom(func(p *assignor.Problem, plan *assignor.Plan) error {
		seen = *p
		plan.AssignRange(1, 0, 0, 3)
		plan.SetUserData(0, []byte("for b"))
		return nil
	})))
	plan, err := assignor.Run(t.Context(), a, problem)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Owner(0, 2) != 1 || string(plan.UserData(0)) != "for b" || plan.UserData(1) != nil {
		t.Errorf("owner %d, user data %q and %q", plan.Owner(0, 2), plan.UserData(0), plan.UserData(1))
	}
	if !reflect.DeepEqual(seen.Topics, problem.Topics) || !reflect.DeepEqual(seen.Racks, problem.Racks) || !reflect.DeepEqual(seen.Members, problem.Members) ||
		seen.Generation != 7 || seen.Leader != problem.Leader || seen.Self != problem.Self {
		t.Errorf("got  %+v\nwant %+v", seen, *problem)
	}
}
