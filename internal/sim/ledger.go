package sim

import (
	"maps"
	"slices"

	"github.com/joinsync/joinsync/group"
)

// ledger knows, from the requests alone, what offsets a group must have: a second opinion, without records.
type ledger struct {
	committed map[group.TopicPartition]entry
	pending   map[int64]map[group.TopicPartition]entry // by producer
	written   int
}

// entry is one offset, with its place among all that were written.
type entry struct {
	group.OffsetCommit
	place int
	at    group.Time
}

func newLedger() ledger {
	return ledger{committed: make(map[group.TopicPartition]entry), pending: make(map[int64]map[group.TopicPartition]entry)}
}

// apply takes over what a durable event changes.
func (l *ledger) apply(s *simulation, c *cause) {
	switch ev := c.event; ev.Kind {
	case group.Commit:
		l.commit(s, ev, c.at)
	case group.EndTransaction:
		for p, e := range l.pending[ev.ProducerID] {
			if before, ok := l.committed[p]; ev.Committed && (!ok || before.place < e.place) {
				l.committed[p] = e
			}
		}
		delete(l.pending, ev.ProducerID)
	case group.DeleteOffsets:
		l.remove(func(p group.TopicPartition) bool {
			return slices.Contains(ev.Partitions, p) && !s.audit.subscribed(p.Topic)
		})
	case group.TopicDeleted:
		l.remove(func(p group.TopicPartition) bool { return p.Topic == ev.Topic })
	case group.DeleteGroup:
		l.remove(func(group.TopicPartition) bool { return true })
	case group.Expire:
		l.remove(func(p group.TopicPartition) bool {
			e, ok := l.committed[p]
			return ok && !l.unstable(p) && s.expired(e, c.at)
		})
	}
}

func (l *ledger) commit(s *simulation, ev *group.Event, at group.Time) {
	for _, o := range ev.Offsets {
		if !s.storable(o) {
			continue
		}
		l.written++
		e := entry{o, l.written, at}
		p := group.TopicPartition{Topic: o.Topic, Partition: o.Partition}
		if !ev.Transactional {
			l.committed[p] = e
			continue
		}
		e.Retention = -1 // G-287
		if l.pending[ev.ProducerID] == nil {
			l.pending[ev.ProducerID] = make(map[group.TopicPartition]entry)
		}
		l.pending[ev.ProducerID][p] = e
	}
}

// storable tells whether an offset's metadata are not too long (G-249).
func (s *simulation) storable(o group.OffsetCommit) bool {
	return len(o.Metadata) <= s.host.config.OffsetMetadataMax
}

func (l *ledger) remove(which func(group.TopicPartition) bool) {
	drop := func(p group.TopicPartition, _ entry) bool { return which(p) }
	maps.DeleteFunc(l.committed, drop)
	for producer, t := range l.pending {
		if maps.DeleteFunc(t, drop); len(t) == 0 {
			delete(l.pending, producer)
		}
	}
}

func (l *ledger) unstable(p group.TopicPartition) bool {
	for _, t := range l.pending {
		if _, ok := t[p]; ok {
			return true
		}
	}
	return false
}

// expired tells whether an offset's time is over (KIP-211, G-317 to G-320).
func (s *simulation) expired(e entry, at group.Time) bool {
	a, d := &s.audit, &s.audit.described
	since := e.at
	switch {
	case a.subscribed(e.Topic):
		return false
	case d.ProtocolType == "":
	case d.State == group.Empty:
		since = a.emptied
	case d.State != group.Stable:
		return false
	}
	if e.Retention != -1 {
		return at >= e.at+group.Time(e.Retention)
	}
	return at-since >= group.Time(s.host.config.OffsetsRetention)
}

// compare holds the group's offsets against the ledger: what was granted is there, and nothing else.
func (l *ledger) compare(s *simulation) {
	g := s.host.group
	for _, topic := range []string{"t1", "t2"} {
		for number := range int32(3) {
			p := group.TopicPartition{Topic: topic, Partition: number}
			want, wanted := l.committed[p]
			got, ok := g.Offset(topic, number)
			s.must(ok == wanted && got.Offset == want.Offset, commitsKept,
				"%s-%d has offset %d (%v), want %d (%v)", topic, number, got.Offset, ok, want.Offset, wanted)
			same := got.Metadata == want.Metadata && got.CommitTimestamp == want.at
			s.must(!ok || same, commitsKept, "%s-%d has %+v, want %+v", topic, number, got, want)
			s.must(g.Unstable(topic, number) == l.unstable(p), transactionsWait,
				"%s-%d is unstable: %v", topic, number, g.Unstable(topic, number))
		}
	}
	producers := slices.Sorted(maps.Keys(l.pending))
	open := g.Transactions()
	s.must(slices.Equal(open, producers), transactionsWait, "%v are open, want %v", open, producers)
}
