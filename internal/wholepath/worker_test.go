package wholepath_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
)

// topic is what the workers share.
const topic = "jobs"

// worker is one member with its job: it takes the partitions that it is given, goes on with each where its last owner
// has left it, and commits as it goes.
type worker struct {
	*consumer.Consumer
	party    *party
	name     string
	instance string // instance id; empty for a dynamic member
	link     *link

	// The rest belongs to who runs the callbacks and, in between, to the goroutine of work.
	positions map[int32]int64 // by partition, what comes next
	rest      context.CancelFunc
	working   sync.WaitGroup
}

// config is what the worker's member is made from.
func (w *worker) config() consumer.Config {
	var by assignor.Assignor = assignor.Range{}
	if w.party.cooperative {
		by = assignor.CooperativeSticky{}
	}
	cfg := consumer.Config{Member: w.party.member, Topics: []string{topic}, Assignors: []assignor.Assignor{held{by, w}}}
	cfg.Member.ClientID, cfg.Member.InstanceID = w.name, w.instance
	cfg.Member.Events.RejoinNeeded = func(client.RejoinNeeded) { w.party.count("rejoined") }
	cfg.Member.Events.Retrying = func(client.Retrying) { w.party.count("retried") }
	cfg.OnAssigned, cfg.OnRevoked, cfg.OnLost = w.assigned, w.revoked, w.lost
	return cfg
}

// held is Range or CooperativeSticky, but the test can hold the leader up while it computes.
type held struct {
	assignor.Assignor
	worker *worker
}

// Assign implements assignor.Assignor.
func (h held) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	h.worker.party.holdLeader(ctx, h.worker)
	return h.Assignor.Assign(ctx, p, plan)
}

// assigned looks up where to go on with what the worker did not have, and begins to work.
func (w *worker) assigned(ctx context.Context, partitions []consumer.TopicPartition) {
	w.stopWork()
	all := w.Assignment()
	w.party.ledger.assigned(all.Generation, w.instance, all.Partitions)
	began := w.party.ledger.clock.now()
	floors := make(map[int32]int64)
	for _, p := range partitions {
		floors[p.Partition] = w.party.ledger.floor(p.Partition)
	}
	offsets, err := w.Committed(ctx, partitions...)
	if err != nil {
		if ctx.Err() == nil {
			w.party.t.Errorf("%s: %v", w.name, err)
		}
		return
	}
	for _, p := range partitions {
		w.positions[p.Partition] = offsets[p].At
		w.party.ledger.seen(w.name, p.Partition, floors[p.Partition], offsets[p].At, began)
	}
	if len(w.positions) == 0 {
		return // and nobody will say that it has to end
	}
	work, rest := context.WithCancel(context.Background())
	w.rest = rest
	w.working.Go(func() { w.work(work) })
}

// revoked stops the work, and commits for the last time. Who is in a hurry leaves that: then a commit may still be on its
// way when the others have gone on. What is kept is gone on with when the rest of the assignment comes.
func (w *worker) revoked(ctx context.Context, partitions []consumer.TopicPartition) {
	w.stopWork()
	sleep(ctx, w.party.dice.upTo(w.party.slowest+1))
	if !w.party.hurried || w.party.dice.oneIn(2) {
		w.commit(ctx)
	}
	for _, p := range partitions {
		delete(w.positions, p.Partition)
	}
}

func (w *worker) lost(context.Context, []consumer.TopicPartition) {
	w.party.count("lost")
	w.stopWork()
	clear(w.positions)
}

func (w *worker) stopWork() {
	if w.rest != nil {
		w.rest()
		w.working.Wait()
		w.rest = nil
	}
}

// work goes on with all partitions until ctx ends.
func (w *worker) work(ctx context.Context) {
	for sleep(ctx, time.Second+w.party.dice.upTo(4*time.Second)) {
		for p := range w.positions {
			w.positions[p] += 1 + int64(w.party.dice.intN(10))
		}
		w.commit(ctx)
	}
}

// commit commits all positions, and tells the ledger what came of it.
func (w *worker) commit(ctx context.Context) {
	began := w.party.ledger.clock.now()
	offsets := make(map[consumer.TopicPartition]consumer.Offset)
	for p, at := range w.positions {
		offsets[consumer.TopicPartition{Topic: topic, Partition: p}] = consumer.Offset{At: at}
		w.party.ledger.committing(p, at)
	}
	err := w.Commit(ctx, offsets)
	for p, at := range w.positions {
		switch {
		case err == nil:
			w.party.ledger.committed(p, at, began)
		case w.party.lossless && (errors.Is(err, consumer.ErrCommitFailed) || errors.Is(err, consumer.ErrRebalanceInProgress)):
			w.party.ledger.refused(p, at)
		default:
			// Where answers get lost, an attempt before the one that was refused may have been stored.
			w.party.ledger.lost(p, at, began)
		}
	}
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
