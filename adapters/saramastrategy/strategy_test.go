package saramastrategy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// twins is an assignor that fails where, in Sarama, it does not send what it sends by itself, of what Sarama tells it.
type twins struct{ assignor.Assignor }

func (t twins) there() assignor.Assignor {
	return saramastrategy.Assignor(func() sarama.BalanceStrategy { return saramastrategy.New(t.Assignor) })
}

func (t twins) UserData(last assignor.Assignment) []byte {
	return t.there().(assignor.UserDataAssignor).UserData(last)
}

func (t twins) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	told, err := whatIsTold(p)
	if err != nil {
		return err
	}
	want, err := assignor.Run(ctx, t.Assignor, told)
	if err != nil {
		return err
	}
	sent := map[string][]byte{}
	for m, member := range told.Members {
		sent[member.ID] = want.Append(nil, m)
	}
	if err := t.there().Assign(ctx, p, plan); err != nil {
		return err
	}
	for m, member := range p.Members {
		if got := plan.Append(nil, m); !bytes.Equal(got, sent[member.ID]) {
			return fmt.Errorf("%s is sent %x in Sarama, not %x", member.ID, got, sent[member.ID])
		}
	}
	return nil
}

// whatIsTold is a problem without instance ids, replicas and racks of brokers, generation and leader.
func whatIsTold(p *assignor.Problem) (*assignor.Problem, error) {
	var join assignor.Join
	for m, member := range p.Members {
		s := p.Subscription(m)
		join.Members = append(join.Members, assignor.JoinedMember{ID: member.ID, Metadata: s.AppendTo(nil)})
	}
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, err
	}
	var cluster assignor.Cluster
	for _, t := range p.Topics {
		cluster.Topics = append(cluster.Topics, assignor.Topic{Name: t.Name, Partitions: t.Partitions})
	}
	return group.Problem(cluster)
}

// From our interface into Sarama's and back, an assignor sends what it sends without that, whatever members send.
func TestAssignorsAreThemselvesInSarama(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	for _, test := range []struct {
		assignor assignor.Assignor
		options  []assignortest.Option
	}{
		{assignor.Range{}, []assignortest.Option{byTopic}},
		{assignor.RoundRobin{}, []assignortest.Option{balanced}},
		{assignor.Sticky{}, []assignortest.Option{balanced, sticky}},
		{assignor.CooperativeSticky{}, []assignortest.Option{sticky}}, // whom a partition is withheld from is a guess
		{assignor.Standby{}, nil},                                     // which lives on what is attached to assignments
	} {
		t.Run(test.assignor.Name(), func(t *testing.T) {
			t.Parallel()
			assignortest.Check(t, twins{test.assignor}, test.options...)
		})
	}
}

// custom is an assignor that does as it is told.
type custom func(p *assignor.Problem, plan *assignor.Plan) error

func (custom) Name() string                         { return "custom" }
func (custom) Supports() assignor.RebalanceProtocol { return assignor.Cooperative }

func (f custom) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(p, plan)
}

func TestAStrategyPassesOnWhatSaramaTells(t *testing.T) {
	rack, broken := "east", errors.New("broken")
	members := map[string]sarama.ConsumerGroupMemberMetadata{
		"a": {Version: 3, Topics: []string{"t"}, UserData: []byte("own"), GenerationID: 7, RackID: &rack,
			OwnedPartitions: []*sarama.OwnedPartition{{Topic: "t", Partitions: []int32{1}}}},
		"b": {Version: 1, Topics: []string{"t", "u"}},
	}
	var seen []assignor.Member
	var notes []assignor.Note
	s := saramastrategy.New(custom(func(p *assignor.Problem, plan *assignor.Plan) error {
		seen = p.Members
		plan.AssignRange(0, 0, 0, 3)
		plan.SetUserData(1, []byte("for b"))
		return nil
	}), saramastrategy.OnNotes(func(n []assignor.Note) { notes = n }))
	plan, err := s.Plan(members, map[string][]int32{"t": {0, 1, 2}, "u": nil})
	if want := (sarama.BalanceStrategyPlan{"a": {"t": {0, 1, 2}}, "b": {}}); err != nil || !reflect.DeepEqual(plan, want) {
		t.Errorf("planned %v, %v, want %v", plan, err, want)
	}
	want := []assignor.Member{
		{ID: "a", Rack: "east", Owned: []assignor.Claim{{Topic: 0, Partition: 1}}, Generation: 7, UserData: []byte("own")},
		{ID: "b", Generation: -1},
	}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("members %+v\nwant    %+v", seen, want)
	}
	if len(notes) != 1 || notes[0].Topic != "u" {
		t.Errorf("notes %v, want one of u", notes)
	}
	for id, want := range map[string]string{"a": "", "b": "for b"} {
		if data, err := s.AssignmentData(id, plan[id], 8); err != nil || string(data) != want {
			t.Errorf("%s is sent %q, %v, want %q", id, data, err, want)
		}
	}

	for name, fail := range map[string]custom{
		"error": func(*assignor.Problem, *assignor.Plan) error { return broken },
		"panic": func(*assignor.Problem, *assignor.Plan) error { panic(broken) },
	} {
		if _, err := saramastrategy.New(fail).Plan(members, map[string][]int32{"t": {0}}); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAStrategyRemembersForItsMember(t *testing.T) {
	s := saramastrategy.New(assignor.Sticky{})
	data := func() []byte {
		data, err := s.(sarama.SubscriptionUserDataBalanceStrategy).SubscriptionUserData([]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if got := data(); got != nil {
		t.Errorf("a new member sends %x", got)
	}
	s.(sarama.OnAssignmentBalanceStrategy).OnAssignment(&sarama.ConsumerGroupMemberAssignment{Topics: map[string][]int32{"b": {3, 1}, "a": {0}}}, 5)
	want := assignor.Sticky{}.UserData(assignor.Assignment{Generation: 5, Partitions: []protocol.TopicPartitions{
		{Topic: "a", Partitions: []int32{0}}, {Topic: "b", Partitions: []int32{1, 3}}}})
	if got := data(); !bytes.Equal(got, want) {
		t.Errorf("then it sends %x, want %x", got, want)
	}
	if _, ok := saramastrategy.New(assignor.Range{}).(sarama.SubscriptionUserDataBalanceStrategy); ok {
		t.Error("range takes the place of the user data that Sarama is configured with")
	}
}

func TestAStrategySupportsWhatItsAssignorDoes(t *testing.T) {
	eager, cooperative := sarama.RebalanceProtocolEager, sarama.RebalanceProtocolCooperative
	for _, test := range []struct {
		assignor assignor.Assignor
		want     []sarama.RebalanceProtocol
	}{
		{assignor.Sticky{}, []sarama.RebalanceProtocol{eager}},
		{assignor.CooperativeSticky{}, []sarama.RebalanceProtocol{cooperative, eager}},
		{custom(nil), []sarama.RebalanceProtocol{cooperative}},
	} {
		s := saramastrategy.New(test.assignor)
		if got := s.(sarama.RebalanceProtocolBalanceStrategy).SupportedProtocols(); s.Name() != test.assignor.Name() || !slices.Equal(got, test.want) {
			t.Errorf("%s supports %v, want %v", s.Name(), got, test.want)
		}
	}
}
