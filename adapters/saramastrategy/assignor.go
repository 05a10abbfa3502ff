package saramastrategy

import (
	"context"
	"time"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// Assignor makes an assignor of a strategy of Sarama, such as sarama.NewBalanceStrategyRange. Each plan and each user data is
// made by a strategy of its own, which is told the last assignment first, and so is each OnAssignment: Sarama's have state for
// one group, and assignors serve many.
//
// The strategy is not shown topics that do not exist, nor claims of partitions that do not, and its SubscriptionUserData is given
// no topics; if it fails, that is logged to sarama.Logger, as Sarama does. What a cooperative strategy withholds is planned for a
// member that stands for the one that it has in mind ([assignor.Plan.WithholdRest]).
func Assignor(newStrategy func() sarama.BalanceStrategy) assignor.Assignor {
	return foreign{newStrategy}
}

type foreign struct{ strategy func() sarama.BalanceStrategy }

func (f foreign) Name() string { return f.strategy().Name() }

func (f foreign) Supports() assignor.RebalanceProtocol {
	s, ok := f.strategy().(sarama.RebalanceProtocolBalanceStrategy)
	if !ok {
		return assignor.Eager
	}
	var supports assignor.RebalanceProtocol
	for _, p := range s.SupportedProtocols() {
		switch p {
		case sarama.RebalanceProtocolEager:
			supports |= assignor.Eager
		case sarama.RebalanceProtocolCooperative:
			supports |= assignor.Cooperative
		}
	}
	return supports
}

// UserData is what a member of Sarama sends: what the strategy says of its subscription, or else what the leader has attached to
// its last assignment, AssignmentData.
func (f foreign) UserData(last assignor.Assignment) []byte {
	s, assigned := f.strategy(), len(last.Partitions) > 0 || last.Generation >= 0 // there is something
	if assigned {
		tell(s, last)
	}
	var data []byte
	var err error
	if u, ok := s.(sarama.SubscriptionUserDataBalanceStrategy); ok {
		data, err = u.SubscriptionUserData(nil)
	} else if assigned {
		data, err = s.AssignmentData("", adapter.ByTopic(last.Partitions), last.Generation)
	}
	if err != nil {
		sarama.Logger.Printf("strategy %q has no user data, and none is sent: %v\n", s.Name(), err)
		return nil
	}
	return data
}

// OnAssignment tells a strategy.
func (f foreign) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	tell(f.strategy(), a)
	return false, 0
}

// tell tells a strategy of an assignment, if it listens.
func tell(s sarama.BalanceStrategy, a assignor.Assignment) {
	if o, ok := s.(sarama.OnAssignmentBalanceStrategy); ok {
		o.OnAssignment(&sarama.ConsumerGroupMemberAssignment{Topics: adapter.ByTopic(a.Partitions), UserData: a.UserData}, a.Generation)
	}
}

func (f foreign) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	if p.Partitions() == 0 {
		return nil // Sarama has no plan for nothing
	}
	members := make(map[string]sarama.ConsumerGroupMemberMetadata, len(p.Members))
	for m := range p.Members {
		members[p.Members[m].ID] = metadata(p.Subscription(m))
	}
	topics := make(map[string][]int32, len(p.Topics))
	for _, t := range p.Topics {
		for q := range t.Partitions {
			topics[t.Name] = append(topics[t.Name], int32(q))
		}
	}
	s := f.strategy()
	planned, err := s.Plan(members, topics)
	if err != nil {
		return err
	}
	plan.AssignByName(planned)
	if f.Supports().Has(assignor.Cooperative) {
		plan.WithholdRest()
	}
	for m := range p.Members {
		id := p.Members[m].ID
		data, err := s.AssignmentData(id, planned[id], p.Generation)
		if err != nil {
			return err
		}
		if data != nil {
			plan.SetUserData(m, data)
		}
	}
	return nil
}

// metadata is a subscription as Sarama decodes it.
func metadata(s protocol.Subscription) sarama.ConsumerGroupMemberMetadata {
	m := sarama.ConsumerGroupMemberMetadata{Version: s.Version, Topics: s.Topics, UserData: s.UserData, GenerationID: s.Generation}
	for _, o := range s.Owned {
		m.OwnedPartitions = append(m.OwnedPartitions, &sarama.OwnedPartition{Topic: o.Topic, Partitions: o.Partitions})
	}
	if s.Rack != "" {
		m.RackID = &s.Rack
	}
	return m
}
