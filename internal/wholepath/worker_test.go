package wholepath_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// topic is what the workers share.
const topic = "jobs"

// worker is one member with its job: it takes the partitions that it is given, goes on with each where its last owner
// has left it, and commits as it goes. It is the client.Protocol of its member.
type worker struct {
	party  *party
	name   string
	link   *link
	member *client.Member

	mu        sync.Mutex
	current   client.Assignment
	positions map[int32]int64 // by partition, what comes next; read by who waited for work
	rest      context.CancelFunc
	working   sync.WaitGroup
}

// Type implements client.Protocol.
func (w *worker) Type() string { return "work" }

// Offers implements client.Protocol.
func (w *worker) Offers() []client.Offer {
	return []client.Offer{{Name: "spread", Metadata: []byte(w.name)}}
}

// PerformAssignment spreads the partitions over the members, in the order of their ids.
func (w *worker) PerformAssignment(ctx context.Context, e client.Election) (map[string][]byte, error) {
	w.party.holdLeader(ctx, w)
	var ids []string
	for _, m := range e.Members {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	shares := make([][]int32, len(ids))
	for p := range w.party.partitions {
		shares[int(p)%len(ids)] = append(shares[int(p)%len(ids)], p)
	}
	all := make(map[string][]byte)
	for i, id := range ids {
		a := protocol.NewAssignment(protocol.TopicPartitions{Topic: topic, Partitions: shares[i]})
		all[id] = a.AppendTo(nil)
	}
	return all, nil
}

// partitionsOf decodes an assignment; no bytes at all are none.
func partitionsOf(assignment []byte) ([]int32, error) {
	if len(assignment) == 0 {
		return nil, nil
	}
	a, err := protocol.DecodeAssignment(assignment)
	if err != nil || len(a.Partitions) == 0 {
		return nil, err
	}
	return a.Partitions[0].Partitions, nil
}

// Assigned implements client.Protocol: it looks up where to go on, and begins to work.
func (w *worker) Assigned(ctx context.Context, a client.Assignment) error {
	partitions, err := partitionsOf(a.Bytes)
	if err != nil {
		return err
	}
	w.party.ledger.assigned(a.Generation, w.member.Config().InstanceID, partitions)
	positions, err := w.fetch(ctx, partitions)
	if err != nil {
		return nil // it is being closed
	}
	work, rest := context.WithCancel(context.Background())
	w.mu.Lock()
	w.current, w.positions, w.rest = a, positions, rest
	w.mu.Unlock()
	w.working.Go(func() { w.work(work, a.Generation) })
	return nil
}

// Release implements client.Protocol: it stops working and, as long as that counts, commits once more.
func (w *worker) Release(ctx context.Context, r client.Release) {
	w.mu.Lock()
	rest := w.rest
	w.mu.Unlock()
	if rest == nil {
		return
	}
	rest()
	w.working.Wait()
	sleep(ctx, w.party.dice.upTo(w.party.slowest+1))
	if !r.Lost {
		w.commit(ctx, r.Generation)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current, w.positions, w.rest = client.Assignment{}, nil, nil
}

// work goes on with all partitions until ctx ends.
func (w *worker) work(ctx context.Context, g client.Generation) {
	for sleep(ctx, time.Second+w.party.dice.upTo(4*time.Second)) {
		for p := range w.positions {
			w.positions[p] += 1 + int64(w.party.dice.intN(10))
		}
		w.commit(ctx, g)
	}
}

// commit commits all positions, and tells the ledger and the member what came of it.
func (w *worker) commit(ctx context.Context, g client.Generation) {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = groupID, g.ID, g.MemberID
	if instance := w.member.Config().InstanceID; instance != "" {
		req.InstanceID = &instance
	}
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = topic
	for _, p := range slices.Sorted(maps.Keys(w.positions)) {
		part := kmsg.NewOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset = p, w.positions[p]
		t.Partitions = append(t.Partitions, part)
		w.party.ledger.committing(p, part.Offset)
	}
	if len(t.Partitions) == 0 {
		return
	}
	req.Topics = append(req.Topics, t)
	answer, err := w.member.Request(ctx, req)
	if err != nil {
		return // nobody knows
	}
	for _, p := range answer.(*kmsg.OffsetCommitResponse).Topics[0].Partitions {
		switch code := protocol.ErrorCode(p.ErrorCode); code {
		case protocol.None:
			w.party.ledger.committed(p.Partition, w.positions[p.Partition])
		case protocol.NotCoordinator:
			// The outcome may be unknown to the coordinator itself.
		default:
			w.party.ledger.refused(p.Partition, w.positions[p.Partition])
			w.member.Refused("OFFSET_COMMIT", g, code)
		}
	}
}

// fetch asks for the committed offsets until it is told, and checks them. The error is that of ctx.
func (w *worker) fetch(ctx context.Context, partitions []int32) (map[int32]int64, error) {
	floors := make(map[int32]int64)
	for _, p := range partitions {
		floors[p] = w.party.ledger.floor(p)
	}
	for {
		offsets, err := fetchOffsets(ctx, w.member.Request, partitions)
		if err == nil {
			for _, p := range partitions {
				w.party.ledger.seen(w.name, p, floors[p], offsets[p])
			}
			return offsets, nil
		}
		if !sleep(ctx, 100*time.Millisecond) {
			return nil, err
		}
	}
}

// fetchOffsets reads committed offsets; a partition without one counts as 0.
func fetchOffsets(
	ctx context.Context, request func(context.Context, kmsg.Request) (kmsg.Response, error), partitions []int32,
) (map[int32]int64, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Version, req.RequireStable = 9, true
	g := kmsg.NewOffsetFetchRequestGroup()
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.Partitions = topic, partitions
	g.Group, g.Topics = groupID, append(g.Topics, t)
	req.Groups = append(req.Groups, g)
	answer, err := request(ctx, req)
	if err != nil {
		return nil, err
	}
	fetched := answer.(*kmsg.OffsetFetchResponse).Groups[0]
	if code := protocol.ErrorCode(fetched.ErrorCode); code != protocol.None {
		return nil, code
	}
	offsets := make(map[int32]int64)
	for _, p := range fetched.Topics[0].Partitions {
		if p.ErrorCode != 0 {
			return nil, fmt.Errorf("partition %d: %w", p.Partition, protocol.ErrorCode(p.ErrorCode))
		}
		offsets[p.Partition] = max(p.Offset, 0)
	}
	return offsets, nil
}

// assignment returns what the worker works on.
func (w *worker) assignment() client.Assignment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// sleep waits, or returns false as soon as ctx ends. It makes no timer that is due at once: goroutines of a bubble that
// find such a one due run it by themselves, and the race detector of Go 1.26 breaks down when several do that at once.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
