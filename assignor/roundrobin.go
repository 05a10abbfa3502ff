package assignor

import (
	"context"
	"slices"
)

// RoundRobin deals the partitions of all topics to the members in turn, as Java's RoundRobinAssignor does, partition for
// partition (G-548): topics in order of name, members in the order of Problem.Members, passing over members that do not
// subscribe to the topic. Racks and what members owned before have no influence.
type RoundRobin struct{}

// Name returns "roundrobin".
func (RoundRobin) Name() string { return "roundrobin" }

// Supports returns Eager.
func (RoundRobin) Supports() RebalanceProtocol { return Eager }

// Assign deals the partitions.
func (RoundRobin) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	turn := 0 // the member whose turn it is
	for t := range p.Topics {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Only subscribers can be served, so the circle of all members need not be walked: it begins at the first
		// subscriber whose turn has not passed.
		subscribers := p.Subscribers(t)
		next, _ := slices.BinarySearch(subscribers, turn)
		for q := range p.Topics[t].Partitions {
			if next == len(subscribers) {
				next = 0
			}
			plan.Assign(subscribers[next], t, q)
			next++
		}
		turn = subscribers[next-1] + 1
	}
	return nil
}
