package timeline

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// sent adds the events of a request that is about to leave. It returns what to do with its answer, nil for nothing.
func (w *Watch) sent(req kmsg.Request) (answered func(kmsg.Response)) {
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		w.joinSent(req)
		return w.joinAnswered
	case *kmsg.SyncGroupRequest:
		w.syncSent(req)
		return w.syncAnswered
	case *kmsg.OffsetCommitRequest:
		offsets := offsetsToCommit(req)
		return func(resp kmsg.Response) { w.committed(offsets, resp) }
	case *kmsg.OffsetFetchRequest:
		return w.fetched
	case *kmsg.MetadataRequest:
		return w.described
	}
	return nil
}

func (w *Watch) joinSent(req *kmsg.JoinGroupRequest) {
	e := Event{
		Kind: JoinGroup, MemberID: req.MemberID, Group: req.Group,
		SessionTimeout: time.Duration(req.SessionTimeoutMillis) * time.Millisecond,
	}
	if req.Reason != nil {
		e.Reason = *req.Reason
	}
	for _, p := range req.Protocols {
		e.Protocols = append(e.Protocols, Offer{Name: p.Name, Topics: topicsOf(p.Metadata), Bytes: len(p.Metadata)})
	}
	w.add(e)
}

func (w *Watch) joinAnswered(resp kmsg.Response) {
	r, ok := resp.(*kmsg.JoinGroupResponse)
	if !ok {
		return
	}
	switch protocol.ErrorCode(r.ErrorCode) {
	case protocol.MemberIDRequired:
		w.known(r.MemberID)
		w.add(Event{Kind: MemberID, MemberID: r.MemberID})
	case protocol.None:
		w.known(r.MemberID)
		w.generation, w.leaderID, w.protocol, w.members = r.Generation, r.LeaderID, "", nil
		if r.Protocol != nil {
			w.protocol = *r.Protocol
		}
		ids := make([]string, len(r.Members))
		for i, m := range r.Members {
			ids[i] = m.MemberID
		}
		names := ShortNames(ids)
		for _, m := range r.Members {
			w.members = append(w.members, Member{Name: names[m.MemberID], ID: m.MemberID, Topics: topicsOf(m.ProtocolMetadata)})
		}
		w.add(Event{
			Kind: Joined, MemberID: w.memberID, Generation: w.generation, Protocol: w.protocol,
			Leader: w.nameOf(w.leaderID), Members: slices.Clone(w.members),
		})
	}
}

func (w *Watch) syncSent(req *kmsg.SyncGroupRequest) {
	e := Event{Kind: SyncGroup, Generation: req.Generation, Assignments: len(req.GroupAssignment)}
	assigned := make(map[string]Partitions, len(req.GroupAssignment))
	for _, a := range req.GroupAssignment {
		assigned[a.MemberID] = partitionsOf(a.MemberAssignment)
		e.Bytes += len(a.MemberAssignment)
	}
	if w.leads() {
		for i := range w.members {
			w.members[i].Partitions = assigned[w.members[i].ID]
		}
		w.add(Event{Kind: Planned, Generation: req.Generation, Protocol: w.protocol, Members: slices.Clone(w.members)})
	}
	w.add(e)
}

func (w *Watch) syncAnswered(resp kmsg.Response) {
	r, ok := resp.(*kmsg.SyncGroupResponse)
	if !ok || protocol.ErrorCode(r.ErrorCode) != protocol.None {
		return
	}
	w.owned = partitionsOf(r.MemberAssignment)
	w.add(Event{Kind: Synced, Generation: w.generation, Partitions: w.owned, Bytes: len(r.MemberAssignment)})
}

func offsetsToCommit(req *kmsg.OffsetCommitRequest) Offsets {
	offsets := make(Offsets, len(req.Topics))
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			offsets.set(t.Topic, p.Partition, p.Offset)
		}
	}
	return offsets
}

// committed adds those of the offsets that the coordinator has accepted.
func (w *Watch) committed(offsets Offsets, resp kmsg.Response) {
	r, ok := resp.(*kmsg.OffsetCommitResponse)
	if !ok {
		return
	}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			if protocol.ErrorCode(p.ErrorCode) != protocol.None {
				delete(offsets[t.Topic], p.Partition)
			}
		}
	}
	w.add(Event{Kind: Committed, Offsets: offsets})
}

func (w *Watch) fetched(resp kmsg.Response) {
	r, ok := resp.(*kmsg.OffsetFetchResponse)
	if !ok {
		return
	}
	offsets := make(Offsets)
	for _, t := range r.Topics { // below v8
		for _, p := range t.Partitions {
			if protocol.ErrorCode(p.ErrorCode) == protocol.None {
				offsets.set(t.Topic, p.Partition, p.Offset)
			}
		}
	}
	for _, g := range r.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if protocol.ErrorCode(p.ErrorCode) == protocol.None {
					offsets.set(t.Topic, p.Partition, p.Offset)
				}
			}
		}
	}
	w.add(Event{Kind: Fetched, Offsets: offsets})
}

// described remembers how many partitions topics have.
func (w *Watch) described(resp kmsg.Response) {
	r, ok := resp.(*kmsg.MetadataResponse)
	if !ok {
		return
	}
	counts := make(Counts, len(r.Topics))
	for _, t := range r.Topics {
		if t.Topic != nil && protocol.ErrorCode(t.ErrorCode) == protocol.None {
			counts[*t.Topic] = int32(len(t.Partitions))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = counts
}

func (w *Watch) partitionCounts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts
}

// set sets the offset of one partition.
func (o Offsets) set(topic string, partition int32, offset int64) {
	if o[topic] == nil {
		o[topic] = make(map[int32]int64)
	}
	o[topic][partition] = offset
}

// topicsOf returns the topics that a consumer's metadata names; of other metadata, none.
func topicsOf(metadata []byte) []string {
	s, err := protocol.DecodeSubscription(metadata)
	if err != nil {
		return nil
	}
	return s.Topics
}

// partitionsOf returns the partitions that a consumer's assignment names, ascending; of other bytes, none.
func partitionsOf(assignment []byte) Partitions {
	a, err := protocol.DecodeAssignment(assignment)
	if err != nil {
		return nil
	}
	partitions := make(Partitions, len(a.Partitions))
	for _, t := range a.Partitions {
		partitions[t.Topic] = append(partitions[t.Topic], t.Partitions...)
	}
	for _, p := range partitions {
		slices.Sort(p)
	}
	return partitions
}
