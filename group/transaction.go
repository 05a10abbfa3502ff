package group

import (
	"cmp"
	"slices"
)

// stepEndTransaction settles what a producer's transaction committed, or forgets it (G-290 to G-293). A transaction that
// the group knows nothing of is none of its business.
func (g *Group) stepEndTransaction(ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: EndTransaction}
	out.Records = append(out.Records, g.settle(ev.ProducerID, ev.Committed)...)
	g.answer(reply, changeBatch, out)
}

// settle returns the records that end a producer's transaction. A pending offset becomes the committed one unless
// that was written after it (G-291).
func (g *Group) settle(producer int64, committed bool) []Record {
	t := g.offsets.pending[producer]
	var records []Record
	for _, p := range t.partitions() {
		pending := t[p]
		if before, ok := g.offsets.committed[p.topic][p.number]; committed && (!ok || before.at < pending.at) {
			records = append(records, Record{Kind: OffsetRecord, Topic: p.topic, Partition: p.number, Offset: pending.Offset})
			records = g.appendLater(records, p, pending.at)
		}
		records = append(records, pendingTombstone(producer, p))
	}
	return records
}

// appendLater writes once more what other transactions have pending for a partition since a moment in the order of
// records. To Kafka a settled offset keeps its place in the log; here it gets a new one, and what was later must stay so.
func (g *Group) appendLater(records []Record, p partition, at uint64) []Record {
	var later []Record
	places := make(map[int64]uint64)
	for producer, t := range g.offsets.pending {
		if o, ok := t[p]; ok && o.at > at {
			later = append(later, Record{Kind: PendingOffsetRecord, ProducerID: producer, Topic: p.topic, Partition: p.number, Offset: o.Offset})
			places[producer] = o.at
		}
	}
	slices.SortFunc(later, func(a, b Record) int { return cmp.Compare(places[a.ProducerID], places[b.ProducerID]) })
	return append(records, later...)
}

func pendingTombstone(producer int64, p partition) Record {
	return Record{Kind: PendingOffsetTombstone, ProducerID: producer, Topic: p.topic, Partition: p.number}
}
