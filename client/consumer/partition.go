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
}

// decodeAssignment reads what the leader sent: sorted, each partition once. No bytes at all are no partitions; Java's
// client fails then (G-506), but what a leader means by leaving a member out is plain.
func decodeAssignment(b []byte) ([]TopicPartition, error) {
	if len(b) == 0 {
		return nil, nil
	}
	decoded, err := protocol.DecodeAssignment(b)
	if err != nil {
		return nil, fmt.Errorf("the leader sent what cannot be read: %w", err)
	}
	var partitions []TopicPartition
	for _, topic := range decoded.Partitions {
		for _, p := range topic.Partitions {
			if p < 0 {
				return nil, fmt.Errorf("the leader sent partition %d of topic %q: use an assignor that gives partitions from 0 on", p, topic.Topic)
			}
			partitions = append(partitions, TopicPartition{topic.Topic, p})
		}
	}
	slices.SortFunc(partitions, comparePartitions)
	return slices.Compact(partitions), nil
}

// byTopic groups partitions as requests do, in a fixed order.
func byTopic(partitions []TopicPartition) (topics []string, of map[string][]int32) {
	of = make(map[string][]int32)
	for _, p := range partitions {
		of[p.Topic] = append(of[p.Topic], p.Partition)
	}
	return slices.Sorted(maps.Keys(of)), of
}
