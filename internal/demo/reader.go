package demo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/internal/timeline"
)

const (
	batch       = 5                     // records that are handed out together
	pace        = 40 * time.Millisecond // between two batches of a reader
	commitEvery = 4                     // batches
)

// A reader reads the partitions of one assignment, from its goroutine's start until it is stopped.
type reader struct {
	member *member
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}

	// The goroutine's own until done is closed.
	fetched [][]*kgo.Record // batches that are not handed out yet
	next    map[int32]int64 // the offsets of the records to hand out next
}

// read starts a reader at the given offsets.
func (m *member) read(from map[int32]int64) (*reader, error) {
	offsets := make(map[int32]kgo.Offset, len(from))
	for p, offset := range from {
		offsets[p] = kgo.NewOffset().At(offset)
	}
	cl, err := m.stage.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &reader{member: m, client: cl, cancel: cancel, done: make(chan struct{}), next: maps.Clone(from)}
	go r.run(ctx)
	return r, nil
}

// stop ends the reader and returns the offsets that it would have read next.
func (r *reader) stop() map[int32]int64 {
	r.cancel()
	<-r.done
	return r.next
}

func (r *reader) run(ctx context.Context) {
	defer close(r.done)
	defer r.client.Close()
	for batches := 1; ; batches++ {
		if !r.batch(ctx) {
			return
		}
		if r.member.doomed.Load() {
			r.member.die()
			return
		}
		if batches%commitEvery == 0 {
			// A rebalance may be quicker; the commit before the partitions are given up counts then.
			_ = r.member.commit(ctx, r.next)
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return
		}
	}
}

// batch hands a few records of one partition out, and reports whether the reader is to go on.
func (r *reader) batch(ctx context.Context) bool {
	for len(r.fetched) == 0 {
		if err := r.fetch(ctx); err != nil {
			if ctx.Err() == nil {
				r.member.fail(err)
			}
			return false
		}
	}
	records := r.fetched[0]
	r.fetched = r.fetched[1:]
	for _, record := range records {
		r.member.stage.ledger.read(r.member.name, record.Partition, record.Offset, string(record.Value))
		r.next[record.Partition] = record.Offset + 1
	}
	p := records[0].Partition
	r.member.watch.Add(timeline.Event{
		Kind: timeline.Consumed, Records: len(records), Offsets: timeline.Offsets{topic: {p: r.next[p]}},
	})
	return true
}

// fetch waits for records, and sorts them into batches of each partition in turn.
func (r *reader) fetch(ctx context.Context) error {
	fetches := r.client.PollFetches(ctx)
	if err := errors.Join(ctx.Err(), fetches.Err()); err != nil {
		return err
	}
	var rest [][]*kgo.Record
	fetches.EachPartition(func(p kgo.FetchTopicPartition) { rest = append(rest, p.Records) })
	for len(rest) > 0 {
		rest = slices.DeleteFunc(rest, func(records []*kgo.Record) bool { return len(records) == 0 })
		for i, records := range rest {
			n := min(batch, len(records))
			r.fetched = append(r.fetched, records[:n])
			rest[i] = records[n:]
		}
	}
	return nil
}
