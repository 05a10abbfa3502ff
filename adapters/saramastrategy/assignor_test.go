package saramastrategy_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// The checks find nothing in the strategies that are sound, and in the others what is known. One that does not fail a check any
// more has been mended since: take the check out.
func TestStrategiesOfSaramaAreAssignors(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	for name, test := range map[string]struct {
		make    func() sarama.BalanceStrategy
		options []assignortest.Option
		fails   []string
	}{
		"range":       {sarama.NewBalanceStrategyRange, []assignortest.Option{byTopic}, nil},
		"round robin": {sarama.NewBalanceStrategyRoundRobin, []assignortest.Option{balanced}, nil},
		// User data of one member that cannot be read leaves all members without a plan; and now and then a stale member is given back
		// a partition of a topic that it no longer subscribes to.
		"sticky":             {sarama.NewBalanceStrategySticky, []assignortest.Option{balanced, sticky}, []string{"deterministic", "no error"}},
		"cooperative sticky": {sarama.NewBalanceStrategyCooperativeSticky, []assignortest.Option{balanced, sticky}, []string{"deterministic"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			assignortest.Check(&r, saramastrategy.Assignor(test.make), test.options...)
			for _, failure := range r {
				t.Log(failure)
			}
			for _, check := range test.fails {
				if !r.failed(check) {
					t.Errorf("check %q has not failed", check)
				}
			}
			if test.fails == nil && len(r) > 0 {
				t.Error("it is taken to be sound")
			}
		})
	}
}

// recorder keeps what a check says.
type recorder []string

func (*recorder) Helper()                             {}
func (r *recorder) Errorf(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *recorder) failed(check string) bool {
	line := regexp.MustCompile(fmt.Sprintf("^assignor .* fails the check %q", check))
	return slices.ContainsFunc(*r, line.MatchString)
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
