package consumer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// TopicPartition is one partition of one topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String returns the partition as Kafka's tools write it, such as "orders-3".
func (p TopicPartition) String() string { return fmt.Sprintf("%s-%d", p.Topic, p.Partition) }

// comparePartitions is the order of everything that callbacks are given: by topic, then by number (G-514).
func comparePartitions(a, b TopicPartition) int {
	return cmp.Or(protocol.CompareJava(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// Assignment is what a consumer owns in one generation.
type Assignment struct {
	Generation client.Generation
	Leader     bool             // whether this consumer leads the generation
	Partitions []TopicPartition // sorted by topic, then by number
	UserData   []byte           // what the leader's assignor has attached; nil if nothing. It must not be changed.
}

// decodeAssignment reads what the leader sent: the partitions sorted, each once. No bytes at all are no partitions; Java's
// client fails then (G-506), but what a leader means by leaving a member out is plain.
func decodeAssignment(from client.Assignment) (Assignment, error) {
	a := Assignment{Generation: from.Generation, Leader: from.Leader}
	if len(from.Bytes) == 0 {
		return a, nil
	}
	decoded, err := protocol.DecodeAssignment(from.Bytes)
	if err != nil {
		return a, fmt.Errorf("the leader sent what cannot be read: %w", err)
	}
	for _, topic := range decoded.Partitions {
		for _, p := range topic.Partitions {
			if p < 0 {
				return a, fmt.Errorf("the leader sent partition %d of topic %q: use an assignor that gives partitions from 0 on", p, topic.Topic)
			}
			a.Partitions = append(a.Partitions, TopicPartition{topic.Topic, p})
		}
	}
	slices.SortFunc(a.Partitions, comparePartitions)
	a.Partitions, a.UserData = slices.Compact(a.Partitions), decoded.UserData
	return a, nil
}

// without lists the partitions that are not among others. Both are sorted.
func without(partitions, others []TopicPartition) []TopicPartition {
	left := make([]TopicPartition, 0, len(partitions))
	for _, p := range partitions {
		if _, found := slices.BinarySearchFunc(others, p, comparePartitions); !found {
			left = append(left, p)
		}
	}
	return left
}

// grouped are sorted partitions as a subscription and an assignment have them.
func grouped(partitions []TopicPartition) []protocol.TopicPartitions {
	var list []protocol.TopicPartitions
	topics, of := byTopic(partitions)
	for _, topic := range topics {
		list = append(list, protocol.TopicPartitions{Topic: topic, Partitions: of[topic]})
	}
	return list
}

// byTopic groups partitions as requests do, in a fixed order.
func byTopic(partitions []TopicPartition) (topics []string, of map[string][]int32) {
	of = make(map[string][]int32)
	for _, p := range partitions {
		of[p.Topic] = append(of[p.Topic], p.Partition)
	}
	return slices.Sorted(maps.Keys(of)), of
}
