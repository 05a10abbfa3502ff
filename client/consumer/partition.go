package consumer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/protocol"
)

// TopicPartition is one partition of a topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String returns Kafka's way of writing it: topic-partition.
func (tp TopicPartition) String() string { return fmt.Sprintf("%s-%d", tp.Topic, tp.Partition) }

// compare orders by topic, then partition (G-514).
func compare(a, b TopicPartition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// Offset is a position in a partition, as it is committed.
type Offset struct {
	// Offset is that of the next record to read.
	Offset int64

	// LeaderEpoch is that of the record before it, by which a fetch notices that the log was cut. Zero: not known.
	LeaderEpoch int32

	// Metadata is for whoever reads the commit; a broker takes 4096 characters by default.
	Metadata string
}

// flatten lists partitions, sorted, without those of topics that keep refuses.
func flatten(topics []protocol.TopicPartitions, keep func(topic string) bool) (kept, dropped []TopicPartition) {
	for _, t := range topics {
		for _, p := range t.Partitions {
			tp := TopicPartition{Topic: t.Topic, Partition: p}
			if keep(t.Topic) {
				kept = append(kept, tp)
			} else {
				dropped = append(dropped, tp)
			}
		}
	}
	slices.SortFunc(kept, compare)
	return slices.Compact(kept), dropped
}

// byTopic groups partitions by topic, both sorted.
func byTopic(partitions []TopicPartition) []protocol.TopicPartitions {
	sorted := slices.SortedFunc(slices.Values(partitions), compare)
	var topics []protocol.TopicPartitions
	for _, tp := range slices.Compact(sorted) {
		if last := len(topics) - 1; last < 0 || topics[last].Topic != tp.Topic {
			topics = append(topics, protocol.TopicPartitions{Topic: tp.Topic})
		}
		t := &topics[len(topics)-1]
		t.Partitions = append(t.Partitions, tp.Partition)
	}
	return topics
}
