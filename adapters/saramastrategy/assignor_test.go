package saramastrategy_test

import (
	"reflect"
	"testing"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/internal/adapter/peertest"
	"github.com/joinsync/joinsync/protocol"
)

func TestStrategiesOfSaramaAreAssignors(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	// Who begins with nothing is given partitions in the order of a map.
	order := peertest.Fault{Check: "deterministic", Input: `{"topics":[{"name":"t0","parts":3}],"members":[{"id":"m0","subs":["t0"]},` +
		`{"id":"m1","subs":["t0"]}]}`}
	// A stale member is given back, now and then, a partition of a topic that it no longer subscribes to.
	given := peertest.Fault{Check: "subscribed", Input: `{"topics":[{"name":"t0","parts":2},{"name":"t1","parts":1}],"members":[` +
		`{"id":"m0","subs":["t0"],"owned":{"t0":[0]},"gen":2},{"id":"m1","subs":["t0","t1"]},{"id":"m2","subs":["t1"],"owned":{"t0":[0]}}]}`}
	for name, test := range map[string]struct {
		make     func() sarama.BalanceStrategy
		faults   []peertest.Fault
		promises []assignortest.Option
	}{
		"range":       {sarama.NewBalanceStrategyRange, nil, []assignortest.Option{byTopic}},
		"round robin": {sarama.NewBalanceStrategyRoundRobin, nil, []assignortest.Option{balanced}},
		"sticky": {sarama.NewBalanceStrategySticky, []peertest.Fault{
			order, given,
			// User data of one member that cannot be read leaves all members without a plan.
			{Check: "no error", Input: `{"topics":[{"name":"t0","parts":1}],"members":[{"id":"m2","subs":["t0"],"userData":"f////w=="}]}`},
			// What is claimed by one who subscribes to nothing any more is left out, now and then.
			{Check: "complete", Input: `{"topics":[{"name":"t0","parts":2}],"members":[{"id":"m0","subs":[],"owned":{"t0":[0]}},{"id":"m1","subs":["t0"]},` +
				`{"id":"m2","subs":["t0"],"owned":{"t0":[0,1]},"gen":2}]}`},
			// Of two who claim one partition, in the same generation, the other one is given what only one of them claims.
			{Check: "sticky", Input: `{"topics":[{"name":"t0","parts":2}],"members":[{"id":"m0","subs":["t0"],"owned":{"t0":[0,1]},"gen":0},` +
				`{"id":"m2","subs":["t0"],"owned":{"t0":[1]},"gen":0}]}`},
		}, []assignortest.Option{balanced, sticky}},
		"cooperative sticky": {sarama.NewBalanceStrategyCooperativeSticky, []peertest.Fault{
			order, given,
			// Of members before KIP-792 it does not read the generation, which they have in their user data.
			{Check: "sticky", Input: `{"topics":[{"name":"t0","parts":1}],"members":[{"id":"m0","subs":["t0"],"owned":{"t0":[0]}},` +
				`{"id":"m1","subs":["t0"],"owned":{"t0":[0]},"gen":4,"v":1}]}`},
			{Check: "two rounds"},
		}, []assignortest.Option{balanced, sticky}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peertest.Check(t, saramastrategy.Assignor(test.make), test.faults, test.promises...)
		})
	}
}

// There and back, an assignor sees the same members, and what it attaches arrives.
func TestWhatMembersSayIsNotLostOnTheWay(t *testing.T) {
	s := protocol.Subscription{Version: 3, Topics: []string{"orders"}, UserData: []byte("own"), Generation: 6, Rack: "east",
		Owned: []protocol.TopicPartitions{{Topic: "orders", Partitions: []int32{1}}}}
	group, err := assignor.Decode(assignor.Join{Members: []assignor.JoinedMember{{ID: "a", Metadata: s.AppendTo(nil)}, {ID: "b", Metadata: s.AppendTo(nil)}}})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := group.Problem(assignor.Cluster{Topics: []assignor.Topic{{Name: "orders", Partitions: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	var seen assignor.Problem
	a := saramastrategy.Assignor(func() sarama.BalanceStrategy {
		return saramastrategy.New(custom(func(p *assignor.Problem, plan *assignor.Plan) error {
			seen = *p
			plan.AssignRange(1, 0, 0, 3)
			plan.SetUserData(0, []byte("for a"))
			return nil
		}))
	})
	plan, err := assignor.Run(t.Context(), a, problem)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Owner(0, 2) != 1 || string(plan.UserData(0)) != "for a" || plan.UserData(1) != nil {
		t.Errorf("owner %d, user data %q and %q", plan.Owner(0, 2), plan.UserData(0), plan.UserData(1))
	}
	if !reflect.DeepEqual(seen.Topics, problem.Topics) || !reflect.DeepEqual(seen.Members, problem.Members) {
		t.Errorf("got  %+v\nwant %+v", seen, *problem)
	}
}
