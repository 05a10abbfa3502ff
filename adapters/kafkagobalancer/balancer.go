package kafkagobalancer

import (
	"context"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// Option is an option of [New].
type Option = adapter.Option

// OnNotes has somebody told, when the group leads, what members sent wrongly and what was left out. It is called by the goroutine
// that joins.
func OnNotes(f func([]assignor.Note)) Option { return adapter.OnNotes(f) }

// Balancer is an assignor as a balancer of kafka-go. It belongs to one group if [Balancer.Assigned] is used; otherwise it may
// serve several at once.
type Balancer struct {
	member *adapter.Member
	failed func(error)
}

var _ kafka.GroupBalancer = (*Balancer)(nil)

// New makes a balancer for kafka-go of an assignor.
//
// A balancer of kafka-go has no way to return an error: what the assignor plans wrongly, its error and its panic are told to
// failed, and then nobody is assigned anything in this generation, in any member. So failed must not be nil, and should see to it
// that somebody mends that.
func New(a assignor.Assignor, failed func(error), options ...Option) *Balancer {
	if failed == nil {
		panic("kafkagobalancer: New without a function to tell errors to, which kafka-go cannot return: give it one")
	}
	return &Balancer{adapter.NewMember(a, options...), failed}
}

// ProtocolName implements kafka.GroupBalancer.
func (b *Balancer) ProtocolName() string { return b.member.Name() }

// UserData implements kafka.GroupBalancer.
func (b *Balancer) UserData() ([]byte, error) { return b.member.Join(b.member.Last()), nil }

// Assigned tells the balancer what the member is assigned, which kafka-go does not: so an assignor listens to assignments, and
// knows the last one when it makes user data, as sticky ones have to. Call it with each generation that kafka.ConsumerGroup.Next
// returns, before anything else is done with it. If the assignor asks for a rebalance, the generation is ended, and the group
// joins again.
func (b *Balancer) Assigned(g *kafka.Generation) {
	topics := make(map[string][]int32, len(g.Assignments))
	for topic, partitions := range g.Assignments {
		for _, p := range partitions {
			topics[topic] = append(topics[topic], int32(p.ID))
		}
	}
	b.member.Assigned(g.ID, topics, nil, func() { g.Start(func(context.Context) {}) }) // the first to return ends it
}

// AssignGroups implements kafka.GroupBalancer.
func (b *Balancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	var join assignor.Join
	for _, m := range members {
		s := protocol.NewSubscription(m.Topics...)
		s.UserData = m.UserData
		join.Members = append(join.Members, assignor.JoinedMember{ID: m.ID, Metadata: s.AppendTo(nil)})
	}
	plan, err := b.member.Lead(join, cluster(partitions))
	if err != nil {
		b.failed(err)
		return nil
	}
	problem, all := plan.Problem(), make(kafka.GroupMemberAssignments, len(members))
	for m, member := range problem.Members {
		topics := make(map[string][]int)
		for t, q := range plan.Partitions(m) {
			name := problem.Topics[t].Name
			topics[name] = append(topics[name], q)
		}
		all[member.ID] = topics
	}
	return all
}

// cluster gathers the topics of a list of partitions, which may come in any order.
func cluster(partitions []kafka.Partition) assignor.Cluster {
	c, index := assignor.Cluster{Racks: map[int32]string{}}, map[string]int{}
	for _, p := range partitions {
		i, ok := index[p.Topic]
		if !ok {
			i = len(c.Topics)
			index[p.Topic] = i
			c.Topics = append(c.Topics, assignor.Topic{Name: p.Topic})
		}
		t := &c.Topics[i]
		for t.Partitions <= p.ID {
			t.Partitions++
			t.Replicas = append(t.Replicas, nil)
		}
		t.Replicas[p.ID] = []int32{int32(p.Leader.ID)}
		for _, broker := range append(p.Replicas, p.Leader) {
			if broker.Rack != "" {
				c.Racks[int32(broker.ID)] = broker.Rack
			}
			if broker.ID != p.Leader.ID {
				t.Replicas[p.ID] = append(t.Replicas[p.ID], int32(broker.ID))
			}
		}
	}
	return c
}
