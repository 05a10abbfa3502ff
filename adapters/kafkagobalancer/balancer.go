package kafkagobalancer

import (
	"context"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// New makes a balancer for kafka-go of an assignor. It may serve several readers at once if the functions may be called so, which
// they are by the goroutine that joins.
//
// A balancer of kafka-go has no way to return an error: what the assignor plans wrongly, its error and its panic are told to failed,
// and then nobody is assigned anything in this generation, in any member. So failed must not be nil, and should see to it that
// somebody mends that. When the group leads, onNotes is told what members sent wrongly and what was left out; nil means nobody is.
func New(a assignor.Assignor, onNotes func([]assignor.Note), failed func(error)) kafka.GroupBalancer {
	if failed == nil {
		panic("kafkagobalancer: New without a function to tell errors to, which kafka-go cannot return: give it one")
	}
	return &balancer{a, onNotes, failed}
}

type balancer struct {
	assignor assignor.Assignor
	onNotes  func([]assignor.Note)
	failed   func(error)
}

func (b *balancer) ProtocolName() string { return b.assignor.Name() }

// UserData is that of a member that was assigned nothing yet, as kafka-go does not tell.
func (b *balancer) UserData() ([]byte, error) {
	if a, ok := b.assignor.(assignor.UserDataAssignor); ok {
		return a.UserData(assignor.Assignment{Generation: -1}), nil
	}
	return nil, nil
}

func (b *balancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	plan, err := b.plan(members, partitions)
	if err != nil {
		b.failed(err)
		return nil
	}
	if notes := plan.Notes(); len(notes) > 0 && b.onNotes != nil {
		b.onNotes(notes)
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

func (b *balancer) plan(members []kafka.GroupMember, partitions []kafka.Partition) (*assignor.Plan, error) {
	var join assignor.Join
	for _, m := range members {
		s := protocol.NewSubscription(m.Topics...)
		s.UserData = m.UserData
		join.Members = append(join.Members, assignor.JoinedMember{ID: m.ID, Metadata: s.AppendTo(nil)})
	}
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, err
	}
	problem, err := group.Problem(cluster(partitions))
	if err != nil {
		return nil, err
	}
	return assignor.Run(context.Background(), b.assignor, problem)
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
