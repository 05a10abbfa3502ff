package group

import (
	"maps"
	"slices"
)

// offsets are the committed offsets of a group: topic, partition, offset.
type offsets map[string]map[int32]Offset

func (o *offsets) set(topic string, partition int32, offset Offset) {
	if *o == nil {
		*o = make(offsets)
	}
	partitions := (*o)[topic]
	if partitions == nil {
		partitions = make(map[int32]Offset)
		(*o)[topic] = partitions
	}
	partitions[partition] = offset
}

func (o offsets) remove(topic string, partition int32) {
	delete(o[topic], partition)
	if len(o[topic]) == 0 {
		delete(o, topic)
	}
}

// Offset returns what is committed for a partition. Members and generations are not asked for (G-269), and commits
// that wait for the store are not seen (G-275).
func (g *Group) Offset(topic string, partition int32) (Offset, bool) {
	o, ok := g.offsets[topic][partition]
	return o, ok
}

// Offsets walks all that is committed, by topic and partition.
func (g *Group) Offsets(yield func(topic string, partition int32, o Offset) bool) {
	for _, topic := range slices.Sorted(maps.Keys(g.offsets)) {
		partitions := g.offsets[topic]
		for _, partition := range slices.Sorted(maps.Keys(partitions)) {
			if !yield(topic, partition, partitions[partition]) {
				return
			}
		}
	}
}
