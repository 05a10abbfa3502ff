package kafkagobalancer

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/assignor"
)

// Assignor makes an assignor of a balancer of kafka-go. It may be used concurrently if the balancer may, as kafka-go's own may. The
// balancer is asked for its user data here, once; an error of it is returned.
//
// The balancer is not shown topics that do not exist, and of a broker it is shown the id and the rack only.
func Assignor(b kafka.GroupBalancer) (assignor.Assignor, error) {
	data, err := b.UserData()
	if err != nil {
		return nil, fmt.Errorf("balancer %q has no user data: %w", b.ProtocolName(), err)
	}
	return foreign{b, data}, nil
}

type foreign struct {
	balancer kafka.GroupBalancer
	userData []byte
}

func (f foreign) Name() string                       { return f.balancer.ProtocolName() }
func (foreign) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (f foreign) UserData(assignor.Assignment) []byte { return f.userData }

func (f foreign) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	members := make([]kafka.GroupMember, len(p.Members))
	for m, member := range p.Members {
		members[m] = kafka.GroupMember{ID: member.ID, Topics: p.Subscription(m).Topics, UserData: member.UserData}
	}
	assigned := make(map[string]map[string][]int32, len(members))
	for id, topics := range f.balancer.AssignGroups(members, partitions(p)) {
		assigned[id] = make(map[string][]int32, len(topics))
		for topic, list := range topics {
			for _, partition := range list {
				assigned[id][topic] = append(assigned[id][topic], int32(partition))
			}
		}
	}
	plan.AssignByName(assigned)
	return nil
}

// partitions lists those of all topics, with their brokers where these are known.
func partitions(p *assignor.Problem) []kafka.Partition {
	list := make([]kafka.Partition, 0, p.Partitions())
	for _, t := range p.Topics {
		for q := range t.Partitions {
			partition := kafka.Partition{Topic: t.Name, ID: q}
			if t.Replicas != nil {
				for i, id := range t.Replicas[q] {
					broker := kafka.Broker{ID: int(id), Rack: p.Racks[id]}
					if i == 0 {
						partition.Leader = broker
					}
					if id >= 0 {
						partition.Replicas = append(partition.Replicas, broker)
					}
				}
			}
			list = append(list, partition)
		}
	}
	return list
}
