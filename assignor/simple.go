package assignor

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// TopicPartition is a partition by name.
type TopicPartition struct {
	Topic     string
	Partition int
}

// AssignFunc assigns over names, in the shape of Java's AbstractPartitionAssignor: from the number of partitions of each
// topic that exists, and from the topics that each member subscribes to (those of them that exist, in Java's string
// order), it returns the partitions of each member. A member without partitions need not be in the answer. It may keep
// and change what it gets.
//
// Go visits a map in another order each time, and an assignor must give the same answer for the same input: sort the
// keys before going over them, as slices.Sorted(maps.Keys(members)) does.
type AssignFunc func(partitions map[string]int, members map[string][]string) (map[string][]TopicPartition, error)

// Simple makes an eager assignor of a function. It is for plans of ordinary size: beyond some ten thousand partitions,
// or to see racks, instance ids and what members owned before, implement [Assignor] instead.
//
// Names in the answer that are not in the question are an error that wraps ErrUnknown; [Run] checks the rest.
func Simple(name string, assign AssignFunc) Assignor { return simple{name, assign} }

type simple struct {
	name   string
	assign AssignFunc
}

func (s simple) Name() string                { return s.name }
func (s simple) Supports() RebalanceProtocol { return Eager }

func (s simple) Assign(_ context.Context, p *Problem, plan *Plan) error {
	topicOf := make(map[string]int, len(p.Topics))
	partitions := make(map[string]int, len(p.Topics))
	for t, topic := range p.Topics {
		topicOf[topic.Name] = t
		partitions[topic.Name] = topic.Partitions
	}
	memberOf := make(map[string]int, len(p.Members))
	members := make(map[string][]string, len(p.Members))
	for m, member := range p.Members {
		memberOf[member.ID] = m
		topics := make([]string, 0, len(p.Classes[member.Class].Topics))
		for _, t := range p.Classes[member.Class].Topics {
			topics = append(topics, p.Topics[t].Name)
		}
		members[member.ID] = topics
	}

	answer, err := s.assign(partitions, members)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(answer)) { // the first fault is reported: let it be the same each time
		m, ok := memberOf[id]
		if !ok {
			return fmt.Errorf("%w: member %q: use the keys of members", ErrUnknown, id)
		}
		for _, tp := range answer[id] {
			t, ok := topicOf[tp.Topic]
			if !ok {
				return fmt.Errorf("%w: topic %q: use the keys of partitions", ErrUnknown, tp.Topic)
			}
			plan.Assign(m, t, tp.Partition)
		}
	}
	return nil
}
