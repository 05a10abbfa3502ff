package main

import (
	"fmt"
	"math"

	"github.com/joinsync/joinsync/protocol"
)

// quality is what a plan is worth: how even it is, and what it takes away from whom.
type quality struct {
	spread float64 // standard deviation of the members' numbers of partitions
	moved  int     // partitions whose owner is there and is not given them
}

// audit holds a plan to the rules that all assignors have, and judges it. A plan that breaks one is an error, whoever made it.
func audit(in *input, cooperative bool, plan []sent) (quality, error) {
	owner, err := in.ownersIn(plan)
	if err != nil {
		return quality{}, err
	}
	var q quality
	loads := make([]int, len(in.members))
	for i, m := range owner {
		before := int32(nobody)
		if in.owner != nil {
			before = in.owner[i]
		}
		if before != nobody && before != m {
			q.moved++
		}
		if m != nobody {
			loads[m]++
		} else if !cooperative || before == nobody { // a cooperative assignor waits for who has it to give it up
			return q, fmt.Errorf("partition number %d is left out", i)
		}
	}
	q.spread = deviation(loads)
	return q, nil
}

// ownersIn tells who is given each partition, by the index of the member.
func (in *input) ownersIn(plan []sent) ([]int32, error) {
	index := make(map[string]int, len(in.members))
	for i, m := range in.members {
		index[m.ID] = i
	}
	topics, start := make(map[string]int, len(in.topics)), make([]int, len(in.topics)+1)
	for t, topic := range in.topics {
		topics[topic.Name], start[t+1] = t, start[t]+topic.Partitions
	}
	owner := make([]int32, start[len(in.topics)])
	for i := range owner {
		owner[i] = nobody
	}
	for _, s := range plan {
		m, known := index[s.member]
		if !known {
			return nil, fmt.Errorf("there is no member %q", s.member)
		}
		assignment, err := protocol.DecodeAssignment(s.bytes)
		if err != nil {
			return nil, err
		}
		subscribed, err := in.subscribed(m, topics)
		if err != nil {
			return nil, err
		}
		for _, tp := range assignment.Partitions {
			t, exists := topics[tp.Topic]
			if !exists || !subscribed[t] {
				return nil, fmt.Errorf("member %q is given topic %q, to which it does not subscribe", s.member, tp.Topic)
			}
			for _, p := range tp.Partitions {
				if p < 0 || int(p) >= in.topics[t].Partitions || owner[start[t]+int(p)] != nobody {
					return nil, fmt.Errorf("partition %d of topic %q is given twice, or does not exist", p, tp.Topic)
				}
				owner[start[t]+int(p)] = int32(m)
			}
		}
	}
	return owner, nil
}

// subscribed tells which topics a member subscribes to, by their index.
func (in *input) subscribed(member int, topics map[string]int) ([]bool, error) {
	s, err := protocol.DecodeSubscription(in.members[member].Metadata)
	if err != nil {
		return nil, err
	}
	subscribed := make([]bool, len(in.topics))
	for _, name := range s.Topics {
		if t, exists := topics[name]; exists {
			subscribed[t] = true
		}
	}
	return subscribed, nil
}

// deviation is the standard deviation.
func deviation(loads []int) float64 {
	sum, squares := 0.0, 0.0
	for _, n := range loads {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	mean := sum / float64(len(loads))
	return math.Sqrt(max(0, squares/float64(len(loads))-mean*mean))
}
