package interop

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// TestAssignortestKnowsTheBalancersOfOthers: it finds nothing in those that are sound, and in the others what is known. One that
// does not fail a check any more has been mended since: take the check out. (Sarama's sticky strategy has state that one group at a
// time may use, sarama#2487. Here each plan has one of its own, as Go ends a process that writes to a map twice at once.)
func TestAssignortestKnowsTheBalancersOfOthers(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	for name, test := range map[string]struct {
		assignor assignor.Assignor
		options  []assignortest.Option
		fails    []string
	}{
		"franz-go's range":       {franz{kgo.RangeBalancer()}, []assignortest.Option{byTopic}, nil},
		"franz-go's round robin": {franz{kgo.RoundRobinBalancer()}, []assignortest.Option{balanced}, nil},
		// It lets rivals of one generation keep what both claim, and gives to a stale one what its successor could keep (KIP-341).
		"franz-go's sticky": {franz{kgo.StickyBalancer()}, []assignortest.Option{balanced, sticky}, []string{"deterministic", "sticky"}},

		"Sarama's range": {strategy{sarama.NewBalanceStrategyRange}, []assignortest.Option{byTopic}, nil},
		// It wants members.
		"Sarama's round robin": {strategy{sarama.NewBalanceStrategyRoundRobin}, []assignortest.Option{balanced}, []string{"no error"}},
		// User data of one member that cannot be read leaves all members without a plan; and now and then a stale member is given back
		// a partition of a topic that it no longer subscribes to.
		"Sarama's sticky": {strategy{sarama.NewBalanceStrategySticky}, []assignortest.Option{balanced, sticky}, []string{"deterministic", "no error"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			assignortest.Check(&r, test.assignor, test.options...)
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

// franz is an eager balancer of franz-go as an assignor.
type franz struct{ kgo.GroupBalancer }

func (f franz) Name() string                       { return f.ProtocolName() }
func (franz) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (f franz) UserData(assigned []protocol.TopicPartitions, generation int32) []byte {
	s, err := protocol.DecodeSubscription(f.JoinGroupMetadata(nil, byTopic(assigned), generation))
	if err != nil {
		panic(err)
	}
	return s.UserData
}

func (f franz) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	members, index := make([]kmsg.JoinGroupResponseMember, len(p.Members)), map[string]int{}
	for m, member := range p.Members {
		index[member.ID] = m
		sub := subscription(p, m)
		members[m].MemberID, members[m].ProtocolMetadata = member.ID, sub.AppendTo(nil)
		if member.InstanceID != "" {
			members[m].InstanceID = &member.InstanceID
		}
	}
	balancer, _, err := f.MemberBalancer(members)
	if err != nil {
		return err
	}
	partitions := map[string]int32{}
	for _, t := range p.Topics {
		partitions[t.Name] = int32(t.Partitions)
	}
	answer, err := balancer.(kgo.GroupMemberBalancerOrError).BalanceOrError(partitions)
	if err != nil {
		return err
	}
	for _, a := range answer.IntoSyncAssignment() {
		topics, err := f.ParseSyncAssignment(a.MemberAssignment)
		if err != nil {
			return err
		}
		give(p, plan, index[a.MemberID], topics)
	}
	return nil
}

// strategy is a strategy of Sarama as an assignor.
type strategy struct {
	make func() sarama.BalanceStrategy
}

func (s strategy) Name() string                       { return s.make().Name() }
func (strategy) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (s strategy) UserData(assigned []protocol.TopicPartitions, generation int32) []byte {
	data, err := s.make().AssignmentData("", byTopic(assigned), generation)
	if err != nil {
		panic(err)
	}
	return data
}

func (s strategy) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	members := map[string]sarama.ConsumerGroupMemberMetadata{}
	for m, member := range p.Members {
		sub := subscription(p, m)
		members[member.ID] = sarama.ConsumerGroupMemberMetadata{Topics: sub.Topics, UserData: sub.UserData, GenerationID: sub.Generation}
	}
	partitions := map[string][]int32{}
	for _, t := range p.Topics {
		for q := range t.Partitions {
			partitions[t.Name] = append(partitions[t.Name], int32(q))
		}
	}
	all, err := s.make().Plan(members, partitions)
	if err != nil {
		return err
	}
	for m, member := range p.Members {
		give(p, plan, m, all[member.ID])
	}
	return nil
}

// subscription is what a member has sent, as far as a problem tells.
func subscription(p *assignor.Problem, m int) protocol.Subscription {
	member := p.Members[m]
	sub := protocol.NewSubscription()
	for _, t := range p.Classes[member.Class].Topics {
		sub.Topics = append(sub.Topics, p.Topics[t].Name)
	}
	sub.UserData, sub.Generation, sub.Rack = member.UserData, member.Generation, member.Rack
	return sub
}

func byTopic(assigned []protocol.TopicPartitions) map[string][]int32 {
	topics := map[string][]int32{}
	for _, t := range assigned {
		topics[t.Topic] = t.Partitions
	}
	return topics
}

// give takes over what a member is given. A topic that is not in the problem becomes one that no plan takes.
func give(p *assignor.Problem, plan *assignor.Plan, member int, topics map[string][]int32) {
	for name, list := range topics {
		t := slices.IndexFunc(p.Topics, func(t assignor.Topic) bool { return t.Name == name })
		for _, q := range list {
			plan.Assign(member, t, int(q))
		}
	}
}
