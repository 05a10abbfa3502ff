package group

import (
	"cmp"
	"maps"
	"slices"
)

// offsets are what is committed for the partitions of a group, and what transactions under way will commit.
type offsets struct {
	committed map[string]map[int32]placed // by topic and partition
	pending   map[int64]transaction       // by producer id
	applied   uint64                      // counts the records, for their order
}

// transaction holds the offsets of one producer that wait for the end of its transaction (G-288).
type transaction map[partition]placed

type partition struct {
	topic  string
	number int32
}

// placed is an offset with its place in the order of records (G-291).
type placed struct {
	Offset
	at uint64
}

func (o *offsets) place(offset Offset) placed {
	o.applied++
	return placed{offset, o.applied}
}

func (o *offsets) set(topic string, number int32, offset Offset) {
	if o.committed == nil {
		o.committed = make(map[string]map[int32]placed)
	}
	partitions := o.committed[topic]
	if partitions == nil {
		partitions = make(map[int32]placed)
		o.committed[topic] = partitions
	}
	partitions[number] = o.place(offset)
}

// remove takes away what is committed for a partition, and what any transaction would commit for it (G-294).
func (o *offsets) remove(topic string, number int32) {
	delete(o.committed[topic], number)
	if len(o.committed[topic]) == 0 {
		delete(o.committed, topic)
	}
	for producer := range o.pending {
		o.removePending(producer, topic, number)
	}
}

func (o *offsets) setPending(producer int64, topic string, number int32, offset Offset) {
	if o.pending == nil {
		o.pending = make(map[int64]transaction)
	}
	if o.pending[producer] == nil {
		o.pending[producer] = make(transaction)
	}
	o.pending[producer][partition{topic, number}] = o.place(offset)
}

func (o *offsets) removePending(producer int64, topic string, number int32) {
	delete(o.pending[producer], partition{topic, number})
	if len(o.pending[producer]) == 0 {
		delete(o.pending, producer)
	}
}

// unstable tells whether a transaction under way will commit an offset for the partition (KIP-447).
func (o *offsets) unstable(topic string, number int32) bool {
	for _, t := range o.pending {
		if _, ok := t[partition{topic, number}]; ok {
			return true
		}
	}
	return false
}

// empty tells whether nothing is committed and nothing will be.
func (o *offsets) empty() bool { return len(o.committed) == 0 && len(o.pending) == 0 }

// each walks what is committed, by topic and partition.
func (o *offsets) each(yield func(topic string, number int32, offset Offset) bool) {
	for _, topic := range slices.Sorted(maps.Keys(o.committed)) {
		partitions := o.committed[topic]
		for _, number := range slices.Sorted(maps.Keys(partitions)) {
			if !yield(topic, number, partitions[number].Offset) {
				return
			}
		}
	}
}

// producers returns the ids of the producers whose transactions are under way, in order.
func (o *offsets) producers() []int64 { return slices.Sorted(maps.Keys(o.pending)) }

// partitions returns those that the transaction will commit offsets for, by topic and number.
func (t transaction) partitions() []partition {
	return slices.SortedFunc(maps.Keys(t), func(a, b partition) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.number, b.number))
	})
}

// Offset returns what is committed for a partition. Members and generations are not asked for (G-269), and commits
// that wait for the store, or for the end of a transaction, are not seen (G-275).
func (g *Group) Offset(topic string, partition int32) (Offset, bool) {
	o, ok := g.offsets.committed[topic][partition]
	return o.Offset, ok
}

// Unstable tells whether a transaction under way will change what is committed for a partition (G-272).
func (g *Group) Unstable(topic string, partition int32) bool {
	return g.offsets.unstable(topic, partition)
}

// InTransaction tells whether a producer has committed offsets that wait for the end of its transaction.
func (g *Group) InTransaction(producerID int64) bool { return g.offsets.pending[producerID] != nil }

// Transactions returns the ids of the producers that InTransaction holds for, in order.
func (g *Group) Transactions() []int64 { return g.offsets.producers() }

// HasOffsets tells whether there are offsets of a topic, committed or of a transaction under way.
func (g *Group) HasOffsets(topic string) bool {
	if g.offsets.committed[topic] != nil {
		return true
	}
	for _, t := range g.offsets.pending {
		for p := range t {
			if p.topic == topic {
				return true
			}
		}
	}
	return false
}

// Offsets walks all that is committed, by topic and partition.
func (g *Group) Offsets(yield func(topic string, partition int32, o Offset) bool) {
	g.offsets.each(yield)
}
