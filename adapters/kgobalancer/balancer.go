package kgobalancer

import (
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// Option is an option of [New].
type Option = adapter.Option

// OnNotes has somebody told, when the client leads, what members sent wrongly and what was left out, and at any time that it
// cannot do what the assignor asks for. It is called by the goroutine that joins.
func OnNotes(f func([]assignor.Note)) Option { return adapter.OnNotes(f) }

// Balancer is an assignor as a balancer of kgo, and, for what an assignor wants beyond a balancer, a hook of it. It belongs to
// one client if its assignor has user data or listens to assignments; otherwise it may serve several at once.
type Balancer struct {
	member *adapter.Member
	client atomic.Pointer[kgo.Client] // nil if it is not a hook
}

var (
	_ kgo.GroupBalancer = (*Balancer)(nil)
	_ kgo.HookNewClient = (*Balancer)(nil)
)

// New makes a balancer for kgo.Balancers of an assignor. It is cooperative if the assignor supports that, and then the client's
// other balancers have to be so too, or the group must be in the middle of a change to it (KIP-429).
func New(a assignor.Assignor, options ...Option) *Balancer {
	return &Balancer{member: adapter.NewMember(a, options...)}
}

// OnNewClient implements kgo.HookNewClient.
func (b *Balancer) OnNewClient(c *kgo.Client) { b.client.Store(c) }

// ProtocolName implements kgo.GroupBalancer.
func (b *Balancer) ProtocolName() string { return b.member.Name() }

// IsCooperative implements kgo.GroupBalancer.
func (b *Balancer) IsCooperative() bool { return b.member.Supports().Has(assignor.Cooperative) }

// JoinGroupMetadata implements kgo.GroupBalancer. It leaves the rack out: the client adds it.
func (b *Balancer) JoinGroupMetadata(topics []string, assigned map[string][]int32, generation int32) []byte {
	s := protocol.NewSubscription(topics...)
	s.Generation = generation
	last := assignor.Assignment{Generation: generation, Partitions: adapter.Partitions(assigned), UserData: b.member.Last().UserData}
	if b.IsCooperative() {
		s.Owned = last.Partitions
	}
	s.UserData = b.member.Join(last)
	return s.AppendTo(nil)
}

// ParseSyncAssignment implements kgo.GroupBalancer. A member that its leader has left out is sent no bytes at all.
func (b *Balancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	var a protocol.Assignment
	if len(assignment) > 0 {
		var err error
		if a, err = protocol.DecodeAssignment(assignment); err != nil {
			return nil, err
		}
	}
	assigned, generation := adapter.ByTopic(a.Partitions), int32(-1)
	if c := b.client.Load(); c != nil {
		_, generation = c.GroupMetadata()
	}
	b.member.Assigned(generation, assigned, a.UserData, b.rejoin)
	return assigned, nil
}

// rejoin has the client join again.
func (b *Balancer) rejoin() {
	if c := b.client.Load(); c != nil {
		c.ForceRebalance()
		return
	}
	b.member.Note(assignor.Note{Text: fmt.Sprintf("assignor %q asks for a rebalance, and there will be none: "+
		"give the client its balancer as a hook too (kgo.WithHooks)", b.ProtocolName())})
}

// MemberBalancer implements kgo.GroupBalancer.
func (b *Balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	l := &leader{member: b.member, client: b.client.Load()}
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
