package kgobalancer

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/internal/offsets"
)

// leader balances one generation.
type leader struct {
	member *adapter.Member
	client *kgo.Client // nil if it is not known
	join   assignor.Join
	info   kgo.BalanceInfo
}

var (
	_ kgo.GroupMemberBalancerOrError = (*leader)(nil)
	_ kgo.GroupMemberBalancerInfo    = (*leader)(nil)
)

// SetBalanceInfo is called before BalanceOrError.
func (l *leader) SetBalanceInfo(info kgo.BalanceInfo) {
	l.info = info
	l.join.Generation, l.join.Leader, l.join.Self = info.Generation, info.LeaderID, info.LeaderID
}

// Balance is not called, as there is BalanceOrError.
func (l *leader) Balance(map[string]int32) kgo.IntoSyncAssignment { panic("unreachable") }

// BalanceOrError reads the subscriptions again: generation and leader, which are part of the problem, come after the topics are
// asked for.
func (l *leader) BalanceOrError(topics map[string]int32) (kgo.IntoSyncAssignment, error) {
	plan, err := l.member.Lead(l.join, l.cluster(topics))
	if err != nil {
		return nil, err
	}
	members := plan.Problem().Members
	into := make(assignments, 0, len(members))
	for m := range members {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = members[m].ID, plan.Append(nil, m)
		into = append(into, a)
	}
	return into, nil
}

// cluster is what the client knows of the topics. Their number of partitions is what it says it is; replicas it knows of the
// topics that are in its cache.
func (l *leader) cluster(topics map[string]int32) assignor.Cluster {
	var known map[string]kgo.TopicMetadata
	c := assignor.Cluster{Racks: map[int32]string{}}
	if l.info.Topics != nil && l.info.Brokers != nil { // a client tells
		known = l.info.Topics()
		for id, broker := range l.info.Brokers() {
			if broker.Rack != nil {
				c.Racks[id] = *broker.Rack
			}
		}
	}
	if l.client != nil {
		c.Offsets = func(ctx context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
			return offsets.Tell(ctx, offsets.Through(l.client), l.info.Group, topics)
		}
	}
	for name, partitions := range topics {
		c.Topics = append(c.Topics, assignor.Topic{Name: name, Partitions: int(partitions), Replicas: replicas(known[name].Partitions, int(partitions))})
	}
	return c
}

// replicas lists the brokers of each partition, its leader first; nil if not all are known.
func replicas(partitions []kgo.PartitionMetadata, count int) [][]int32 {
	if len(partitions) != count {
		return nil
	}
	all := make([][]int32, count)
	for i, p := range partitions {
		if int(p.Partition) != i { // they are sorted
			return nil
		}
		all[i] = []int32{p.Leader}
		for _, broker := range p.Replicas {
			if broker != p.Leader {
				all[i] = append(all[i], broker)
			}
		}
	}
	return all
}

// assignments is a plan as it is sent.
type assignments []kmsg.SyncGroupRequestGroupAssignment

// IntoSyncAssignment implements kgo.IntoSyncAssignment.
func (a assignments) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment { return a }
