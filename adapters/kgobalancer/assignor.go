package kgobalancer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// Assignor makes an assignor of a balancer of kgo: of one of kgo's own, or of any other that reads kmsg.ConsumerMemberMetadata
// and writes kmsg.ConsumerMemberAssignment. It may be used concurrently if the balancer may, as kgo's own may.
//
// The balancer is not shown topics that do not exist, nor claims of partitions that do not; it is told no group id, and kgo's own
// take no racks into account, as these reach them within the client only. What a cooperative balancer withholds is planned for a
// member that stands for the one that it has in mind ([assignor.Plan.WithholdRest]).
func Assignor(b kgo.GroupBalancer) assignor.Assignor { return &foreign{GroupBalancer: b} }

type foreign struct {
	kgo.GroupBalancer
	mu sync.Mutex // while it remembers an assignment to make user data of
}

func (f *foreign) Name() string { return f.ProtocolName() }

func (f *foreign) Supports() assignor.RebalanceProtocol {
	if f.IsCooperative() {
		return assignor.Eager | assignor.Cooperative // kgo's own manage with members that own nothing
	}
	return assignor.Eager
}

// UserData is that of the subscription which the balancer makes. It has read the last assignment then.
func (f *foreign) UserData(last assignor.Assignment) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last.Generation >= 0 || len(last.Partitions) > 0 { // there is one
		f.read(last)
	}
	s, err := protocol.DecodeSubscription(f.JoinGroupMetadata(nil, adapter.ByTopic(last.Partitions), last.Generation))
	if err != nil {
		return nil // it is no balancer of consumers, and will fail as soon as it balances
	}
	return s.UserData
}

// OnAssignment has the balancer read the assignment when it is there, as it would in kgo.
func (f *foreign) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read(a)
	return false, 0
}

// read has the balancer read an assignment, for what it remembers of it; what it makes of it is known.
func (f *foreign) read(a assignor.Assignment) {
	sent := protocol.NewAssignment(a.Partitions...)
	sent.UserData = a.UserData
	_, _ = f.ParseSyncAssignment(sent.AppendTo(nil))
}

func (f *foreign) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	sent, err := f.balance(p)
	if err != nil {
		return err
	}
	members := make(map[string]map[string][]int32, len(sent))
	userData := make(map[string][]byte)
	for _, s := range sent {
		a, err := protocol.DecodeAssignment(s.MemberAssignment)
		if err != nil {
			return fmt.Errorf("member %q: %w", s.MemberID, err)
		}
		members[s.MemberID], userData[s.MemberID] = adapter.ByTopic(a.Partitions), a.UserData
	}
	plan.AssignByName(members)
	for m := range p.Members {
		if data := userData[p.Members[m].ID]; data != nil {
			plan.SetUserData(m, data)
		}
	}
	if f.IsCooperative() {
		plan.WithholdRest()
	}
	return nil
}

// balance has the balancer do what kgo has it do in a leader.
func (f *foreign) balance(p *assignor.Problem) ([]kmsg.SyncGroupRequestGroupAssignment, error) {
	members := make([]kmsg.JoinGroupResponseMember, len(p.Members)) // they are sorted as kgo promises
	for m, member := range p.Members {
		s := p.Subscription(m)
		members[m].MemberID, members[m].ProtocolMetadata = member.ID, s.AppendTo(nil)
		if member.InstanceID != "" {
			members[m].InstanceID = &member.InstanceID
		}
	}
	balancer, _, err := f.MemberBalancer(members)
	if err != nil {
		return nil, err
	}
	if b, ok := balancer.(kgo.GroupMemberBalancerInfo); ok {
		b.SetBalanceInfo(balanceInfo(p))
	}
	partitions := make(map[string]int32, len(p.Topics))
	for _, t := range p.Topics {
		partitions[t.Name] = int32(t.Partitions)
	}
	var into kgo.IntoSyncAssignment
	if b, ok := balancer.(kgo.GroupMemberBalancerOrError); ok {
		into, err = b.BalanceOrError(partitions)
	} else {
		into = balancer.Balance(partitions)
	}
	switch {
	case err != nil:
		return nil, err
	case into == nil:
		return nil, errors.New("its balancer returned neither a plan nor an error: return one of them")
	}
	return into.IntoSyncAssignment(), nil
}

// balanceInfo is what kgo tells a balancer of the cluster, as far as a problem has it.
func balanceInfo(p *assignor.Problem) kgo.BalanceInfo {
	info := kgo.BalanceInfo{Generation: p.Generation}
	if p.Leader >= 0 {
		info.LeaderID = p.Members[p.Leader].ID
	}
	info.Topics = func() map[string]kgo.TopicMetadata {
		topics := make(map[string]kgo.TopicMetadata, len(p.Topics))
		for _, t := range p.Topics {
			m := kgo.TopicMetadata{Topic: t.Name}
			for q, brokers := range t.Replicas {
				pm := kgo.PartitionMetadata{Topic: t.Name, Partition: int32(q), Leader: -1}
				if len(brokers) > 0 {
					pm.Leader = brokers[0]
				}
				for _, broker := range brokers {
					if broker >= 0 {
						pm.Replicas = append(pm.Replicas, broker)
					}
				}
				m.Partitions = append(m.Partitions, pm)
			}
			topics[t.Name] = m
		}
		return topics
	}
	info.Brokers = func() map[int32]kgo.BrokerMetadata {
		brokers := make(map[int32]kgo.BrokerMetadata, len(p.Racks))
		for id, rack := range p.Racks {
			brokers[id] = kgo.BrokerMetadata{NodeID: id, Rack: &rack}
		}
		return brokers
	}
	return info
}
