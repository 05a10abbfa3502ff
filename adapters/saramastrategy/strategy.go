package saramastrategy

import (
	"fmt"
	"slices"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// Option is an option of [New].
type Option func(*strategy)

// OnNotes has somebody told, when the group leads, what members sent wrongly and what was left out, and at any time that it
// cannot do what the assignor asks for. It is called by the goroutine that joins.
func OnNotes(f func([]assignor.Note)) Option {
	return func(s *strategy) { adapter.OnNotes(f)(s.member) }
}

// Rejoin says how the group joins again when the assignor asks for it (assignor.AssignmentListener). Sarama has no way of its
// own: end the session, by canceling the context that Consume was given, and call Consume again with another. The function is
// called by the goroutine that joins, or later by one of its own. It must not wait for the session to end.
func Rejoin(f func()) Option {
	return func(s *strategy) { s.rejoin = f }
}

// New makes a strategy for a consumer group of Sarama of an assignor. It supports the rebalance protocols that the assignor does.
//
// Like Sarama's own that have state, it belongs to one consumer group: it keeps what the member was assigned for an assignor with
// user data, which Sarama's Consumer.Group.Member.UserData is not used for then. Sarama does not tell when an assignment is lost,
// so that the member goes on to claim it: an assignor tells by the generation that the claim is an old one (KIP-341).
func New(a assignor.Assignor, options ...Option) sarama.BalanceStrategy {
	s := &strategy{member: adapter.NewMember(a)}
	s.rejoin = s.cannot
	for _, option := range options {
		option(s)
	}
	if _, ok := a.(assignor.UserDataAssignor); ok {
		return withUserData{s}
	}
	return s
}

// strategy is an assignor without user data of its members. Its group calls it from one goroutine at a time.
type strategy struct {
	member   *adapter.Member
	rejoin   func()
	userData map[string][]byte // of the assignments of the last plan, by member id
}

var (
	_ sarama.RebalanceProtocolBalanceStrategy = (*strategy)(nil)
	_ sarama.OnAssignmentBalanceStrategy      = (*strategy)(nil)
)

// Name implements sarama.BalanceStrategy.
func (s *strategy) Name() string { return s.member.Name() }

// SupportedProtocols implements sarama.RebalanceProtocolBalanceStrategy.
func (s *strategy) SupportedProtocols() []sarama.RebalanceProtocol {
	var protocols []sarama.RebalanceProtocol
	if s.member.Supports().Has(assignor.Cooperative) {
		protocols = append(protocols, sarama.RebalanceProtocolCooperative)
	}
	if s.member.Supports().Has(assignor.Eager) {
		protocols = append(protocols, sarama.RebalanceProtocolEager)
	}
	return protocols
}

// Plan implements sarama.BalanceStrategy.
func (s *strategy) Plan(members map[string]sarama.ConsumerGroupMemberMetadata, topics map[string][]int32) (sarama.BalanceStrategyPlan, error) {
	var join assignor.Join
	for id, m := range members {
		join.Members = append(join.Members, assignor.JoinedMember{ID: id, Metadata: subscription(m)})
	}
	var cluster assignor.Cluster
	for name, partitions := range topics {
		if len(partitions) > 0 {
			cluster.Topics = append(cluster.Topics, assignor.Topic{Name: name, Partitions: int(slices.Max(partitions)) + 1})
		}
	}
	plan, err := s.member.Lead(join, cluster)
	if err != nil {
		return nil, err
	}
	problem := plan.Problem()
	s.userData = make(map[string][]byte)
	planned := make(sarama.BalanceStrategyPlan, len(problem.Members))
	for m, member := range problem.Members {
		s.userData[member.ID], planned[member.ID] = plan.UserData(m), map[string][]int32{}
		for t, q := range plan.Partitions(m) {
			planned.Add(member.ID, problem.Topics[t].Name, int32(q))
		}
	}
	return planned, nil
}

// AssignmentData implements sarama.BalanceStrategy: Sarama asks for it after Plan, for each member.
func (s *strategy) AssignmentData(memberID string, _ map[string][]int32, _ int32) ([]byte, error) {
	return s.userData[memberID], nil
}

// OnAssignment implements sarama.OnAssignmentBalanceStrategy.
func (s *strategy) OnAssignment(a *sarama.ConsumerGroupMemberAssignment, generation int32) {
	s.member.Assigned(generation, a.Topics, a.UserData, s.rejoin)
}

// cannot says that there is no way to join again.
func (s *strategy) cannot() {
	s.member.Note(assignor.Note{Text: fmt.Sprintf("assignor %q asks for a rebalance, and there will be none: "+
		"give its strategy the option Rejoin", s.Name())})
}

// withUserData is an assignor whose members send user data, of what they were last assigned.
type withUserData struct{ *strategy }

var _ sarama.SubscriptionUserDataBalanceStrategy = withUserData{}

// SubscriptionUserData implements sarama.SubscriptionUserDataBalanceStrategy.
func (s withUserData) SubscriptionUserData([]string) ([]byte, error) {
	return s.member.Join(s.member.Last()), nil
}

// subscription is the metadata of a member as it was sent, before Sarama decoded it.
func subscription(m sarama.ConsumerGroupMemberMetadata) []byte {
	s := protocol.NewSubscription(m.Topics...)
	s.Version, s.UserData = m.Version, m.UserData
	for _, o := range m.OwnedPartitions {
		s.Owned = append(s.Owned, protocol.TopicPartitions{Topic: o.Topic, Partitions: o.Partitions})
	}
	if m.Version >= 2 {
		s.Generation = m.GenerationID
	}
	if m.RackID != nil {
		s.Rack = *m.RackID
	}
	return s.AppendTo(nil)
}
