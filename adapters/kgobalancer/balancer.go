package kgobalancer

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// New makes a balancer for kgo.Balancers of an assignor. It is cooperative if the assignor supports that, and then the client's
// other balancers have to be so too, or the group must be in the middle of a change to it (KIP-429).
//
// When the client leads, onNotes is told what members sent wrongly and what was left out; nil means nobody is. It is called by the
// goroutine that joins. The balancer may serve several clients at once if onNotes may.
func New(a assignor.Assignor, onNotes func([]assignor.Note)) kgo.GroupBalancer {
	return &balancer{a, onNotes}
}

type balancer struct {
	assignor assignor.Assignor
	onNotes  func([]assignor.Note)
}

func (b *balancer) ProtocolName() string { return b.assignor.Name() }

func (b *balancer) IsCooperative() bool { return b.assignor.Supports().Has(assignor.Cooperative) }

// JoinGroupMetadata leaves the rack out: the client adds it.
func (b *balancer) JoinGroupMetadata(topics []string, assigned map[string][]int32, generation int32) []byte {
	s := protocol.NewSubscription(topics...)
	s.Generation = generation
	last := make([]protocol.TopicPartitions, 0, len(assigned))
	for _, topic := range slices.SortedFunc(maps.Keys(assigned), protocol.CompareJava) {
		last = append(last, protocol.TopicPartitions{Topic: topic, Partitions: assigned[topic]})
	}
	if b.IsCooperative() {
		s.Owned = last
	}
	if a, ok := b.assignor.(assignor.UserDataAssignor); ok {
		s.UserData = a.UserData(assignor.Assignment{Generation: generation, Partitions: last})
	}
	return s.AppendTo(nil)
}

func (b *balancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	return kgo.ParseConsumerSyncAssignment(assignment)
}

func (b *balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	l := &leader{balancer: b}
	for _, m := range members {
		joined := assignor.JoinedMember{ID: m.MemberID, Metadata: m.ProtocolMetadata}
		if m.InstanceID != nil {
			joined.InstanceID = *m.InstanceID
		}
		l.join.Members = append(l.join.Members, joined)
	}
	group, err := assignor.Decode(l.join)
	if err != nil {
		return nil, nil, err
	}
	topics := make(map[string]struct{})
	for _, topic := range group.Topics() {
		topics[topic] = struct{}{}
	}
	return l, topics, nil
}
