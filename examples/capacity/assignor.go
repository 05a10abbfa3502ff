package capacity

import (
	"context"

	"github.com/joinsync/joinsync/assignor"
)

// ByCapacity gives a member of capacity 2 twice as many partitions as one of capacity 1. Its value is the capacity of the member
// that it is configured in.
type ByCapacity byte

// Name implements assignor.Assignor.
func (ByCapacity) Name() string { return "by-capacity" }

// Supports implements assignor.Assignor.
func (ByCapacity) Supports() assignor.RebalanceProtocol { return assignor.Eager }

// UserData tells the leader, whoever that is, the member's capacity.
func (c ByCapacity) UserData(assignor.Assignment) []byte { return []byte{byte(c)} }

// Assign gives each partition to the subscriber that will be least loaded with it.
func (ByCapacity) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	capacity, load := make([]int, len(p.Members)), make([]int, len(p.Members))
	for m, member := range p.Members {
		capacity[m] = 1
		if len(member.UserData) == 1 && member.UserData[0] > 0 {
			capacity[m] = int(member.UserData[0])
		} else {
			plan.Note(assignor.Note{Member: member.ID, Text: "it tells no capacity: it is taken to be 1"})
		}
	}
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			subscribers := p.Subscribers(t)
			best := subscribers[0]
			for _, m := range subscribers[1:] {
				if (load[m]+1)*capacity[best] < (load[best]+1)*capacity[m] {
					best = m
				}
			}
			plan.Assign(best, t, q)
			load[best]++
		}
	}
	return nil
}
