package saramastrategy

import (
	"context"
	"maps"
	"slices"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// New makes a strategy for a consumer group of Sarama of an assignor. It supports the rebalance protocols that the assignor does.
//
// Like Sarama's own that have state, it belongs to one consumer group: it keeps what the member was assigned for an assignor with
// user data, which Sarama's Consumer.Group.Member.UserData is not used for then. Sarama does not tell when an assignment is lost,
// so that the member goes on to claim it: an assignor tells by the generation that the claim is an old one (KIP-341).
//
// When the group leads, onNotes is told what members sent wrongly and what was left out; nil means nobody is. It is called by the
// goroutine that joins.
func New(a assignor.Assignor, onNotes func([]assignor.Note)) sarama.BalanceStrategy {
	s := &strategy{assignor: a, onNotes: onNotes}
	if a, ok := a.(assignor.UserDataAssignor); ok {
		return &remembering{strategy: s, assignor: a, last: assignor.Assignment{Generation: -1}}
	}
	return s
}

// strategy is an assignor without user data of its members. Its group calls it from one goroutine at a time.
type strategy struct {
	assignor assignor.Assignor
	onNotes  func([]assignor.Note)
	userData map[string][]byte // of the assignments of the last plan, by member id
}

var _ sarama.RebalanceProtocolBalanceStrategy = (*strategy)(nil)

// Name implements sarama.BalanceStrategy.
func (s *strategy) Name() string { return s.assignor.Name() }

// SupportedProtocols implements sarama.RebalanceProtocolBalanceStrategy.
func (s *strategy) SupportedProtocols() []sarama.RebalanceProtocol {
	var protocols []sarama.RebalanceProtocol
	if s.assignor.Supports().Has(assignor.Cooperative) {
		protocols = append(protocols, sarama.RebalanceProtocolCooperative)
	}
	if s.assignor.Supports().Has(assignor.Eager) {
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
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, err
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		return nil, err
	}
	plan, err := assignor.Run(context.Background(), s.assignor, problem)
	if err != nil {
		return nil, err
	}
	if notes := plan.Notes(); len(notes) > 0 && s.onNotes != nil {
		s.onNotes(notes)
	}
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

// remembering is an assignor whose members send user data, of what they were last assigned.
type remembering struct {
	*strategy
	assignor assignor.UserDataAssignor
	last     assignor.Assignment
}

var (
	_ sarama.SubscriptionUserDataBalanceStrategy = (*remembering)(nil)
	_ sarama.OnAssignmentBalanceStrategy         = (*remembering)(nil)
)

// OnAssignment implements sarama.OnAssignmentBalanceStrategy.
func (r *remembering) OnAssignment(a *sarama.ConsumerGroupMemberAssignment, generation int32) {
	r.last = assignor.Assignment{Generation: generation, UserData: a.UserData}
	for _, topic := range slices.SortedFunc(maps.Keys(a.Topics), protocol.CompareJava) {
		r.last.Partitions = append(r.last.Partitions, protocol.TopicPartitions{Topic: topic, Partitions: slices.Sorted(slices.Values(a.Topics[topic]))})
	}
}

// SubscriptionUserData implements sarama.SubscriptionUserDataBalanceStrategy.
func (r *remembering) SubscriptionUserData([]string) ([]byte, error) {
	return r.assignor.UserData(r.last), nil
}
