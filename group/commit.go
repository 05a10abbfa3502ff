package group

import "unicode/utf16"

// stepCommit handles an OffsetCommit (G-239 to G-259, matrix G-228) or a TxnOffsetCommit (G-281 to G-288, G-229).
func (g *Group) stepCommit(now Time, ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: Commit}
	m, code := g.validateCommit(ev)
	if code != None {
		reply.Error = code
		out.Replies = append(out.Replies, reply)
		return
	}
	if m != nil && !ev.Transactional && (g.state == Stable || g.state == PreparingRebalance) {
		g.touch(now, m) // G-248, G-286
	}
	stored := false
	for i := range ev.Offsets {
		o := &ev.Offsets[i]
		if longerThan(o.Metadata, g.config.OffsetMetadataMax) {
			if reply.Errors == nil {
				reply.Errors = make([]Error, len(ev.Offsets))
			}
			reply.Errors[i] = OffsetMetadataTooLarge // G-249
			continue
		}
		stored = true
		out.Records = append(out.Records, ev.offsetRecord(now, o))
	}
	if !stored {
		if g.state == Dead && g.batch == noBatch { // whoever may commit makes the group, even with nothing (G-241)
			g.exist()
			g.noteTransition(Reason{Cause: GroupCreated}, out)
		}
		out.Replies = append(out.Replies, reply)
		return
	}
	if g.batch == noBatch {
		g.batch = commitBatch
		if g.state == Dead {
			g.batch = simpleBatch
		}
	}
	g.waiting = append(g.waiting, reply)
}

// validateCommit finds the sender, or the code to answer with. A commit without a generation is a simple consumer's or
// an administrator's: it needs no member, and a group that nobody is in (G-241, G-243). A transactional one needs
// neither, and is taken while the group rebalances, too (G-283, G-284).
func (g *Group) validateCommit(ev *Event) (*member, Error) {
	switch {
	case g.state == Dead:
		if ev.Generation < 0 {
			return nil, None
		}
		return nil, GroupIDNotFound
	case ev.Generation < 0 && g.state == Empty:
		return nil, None
	case ev.Generation < 0 && ev.MemberID == "" && ev.InstanceID == nil:
		if ev.Transactional {
			return nil, None
		}
		return nil, UnknownMemberID
	}
	m, code := g.validate(ev.MemberID, ev.InstanceID)
	switch {
	case code != None:
		return nil, code
	case ev.Generation != g.generation:
		return nil, IllegalGeneration
	case g.state == CompletingRebalance && !ev.Transactional:
		return nil, RebalanceInProgress
	}
	return m, None
}

// offsetRecord makes the record of one offset. A retention past the end of time keeps the offset for good, where
// Kafka's sum would wrap around and expire it at once. Offsets of transactions have no retention of their own (G-287).
func (ev *Event) offsetRecord(now Time, o *OffsetCommit) Record {
	r := Record{
		Kind: OffsetRecord, Topic: o.Topic, Partition: o.Partition,
		Offset: Offset{
			Offset: o.Offset, LeaderEpoch: o.LeaderEpoch, Metadata: o.Metadata, CommitTimestamp: now, ExpireTimestamp: -1,
		},
	}
	switch {
	case ev.Transactional:
		r.Kind, r.ProducerID = PendingOffsetRecord, ev.ProducerID
	case o.Retention != -1:
		r.Offset.ExpireTimestamp = Time(min(o.Retention, int64(Never-now))) + now
	}
	return r
}

// longerThan tells whether s has more than limit UTF-16 code units, which is how Kafka counts (G-249).
func longerThan(s string, limit int) bool {
	if len(s) <= limit {
		return false
	}
	units := 0
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units > limit
}
