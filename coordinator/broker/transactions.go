package broker

import (
	"context"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// transactions brings together kfake, which has the transactions, and the coordinator, which has their offsets. What a
// transaction commits of a group's offsets waits in the group until it is told how the transaction has ended: by the
// EndTxn that passes the door, by the InitProducerID that fences the producer, or, if kfake has ended it because its time
// was up, when kfake is asked after that time.
//
// All that is asked for one transactional id is done by turns, so that none of it can come between the question whether
// a transaction is under way and the offsets that are committed in it. No other lock is held meanwhile.
type transactions struct {
	plane      *plane
	ctx        context.Context // ends before the plane does
	partitions int32           // of all offsets, each of which is or is not part of a transaction
	log        *zap.Logger

	groups *coordinator.Coordinator // set before the first request

	mu       sync.Mutex
	known    map[string]*transaction // by transactional id: those that kfake knows, and that somebody asks for
	watched  bool                    // a goroutine looks after those with offsets
	closed   bool
	watchers sync.WaitGroup
}

var _ coordinator.Transactions = (*transactions)(nil)

func newTransactions(ctx context.Context, plane *plane, config *Config) *transactions {
	return &transactions{
		plane: plane, ctx: ctx, partitions: config.Coordinator.Partitions, log: config.Logger, known: make(map[string]*transaction),
	}
}

// recover aborts what is left of transactions of an earlier broker on the same store: their records are gone with it.
func (t *transactions) recover(ctx context.Context) error {
	producers, err := t.groups.PendingTransactions(ctx)
	if err != nil {
		return err
	}
	for _, producer := range producers {
		if err := t.groups.EndTransaction(ctx, producer, false); err != nil {
			return err
		}
	}
	return nil
}

// close returns when nothing of it runs any more. Its context must have ended.
func (t *transactions) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.watchers.Wait()
}

// take waits for the turn of a transactional id. Whoever has it calls release.
func (t *transactions) take(ctx context.Context, id string) (x *transaction, release func(), err error) {
	t.mu.Lock()
	if x = t.known[id]; x == nil {
		x = newTransaction(strings.Clone(id)) // the id may be a part of a whole request
		t.known[x.id] = x
	}
	x.users++
	t.mu.Unlock()
	select {
	case x.turn <- struct{}{}:
		return x, func() { t.release(x) }, nil
	case <-ctx.Done():
		t.leave(x)
		return nil, nil, context.Cause(ctx)
	}
}

func (t *transactions) release(x *transaction) {
	t.leave(x)
	<-x.turn
}

// leave counts a user less. Who is the last one sees what all the others have done, and so does who comes first again.
func (t *transactions) leave(x *transaction) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x.users--
	switch {
	case x.users > 0:
	case len(x.parts) == 0 && x.producer == none:
		delete(t.known, x.id)
	case len(x.parts) > 0 && !t.watched && !t.closed:
		t.watched = true
		t.watchers.Go(t.watch)
	}
}

// heldTurn is the key of a transaction in the context of whoever has its turn.
type heldTurn struct{}

// hold takes the turn for a request to the coordinator, which asks CheckOffsets with the context that is returned.
func (t *transactions) hold(ctx context.Context, id string) (context.Context, func(), error) {
	x, release, err := t.take(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return context.WithValue(ctx, heldTurn{}, x), release, nil
}

// CheckOffsets implements coordinator.Transactions (G-282, G-611). A member within the process has no turn while its
// offsets are committed: it must not end the transaction before the answer.
func (t *transactions) CheckOffsets(ctx context.Context, req *kmsg.TxnOffsetCommitRequest) protocol.ErrorCode {
	x, held := ctx.Value(heldTurn{}).(*transaction)
	if !held {
		var release func()
		var err error
		if x, release, err = t.take(ctx, req.TransactionalID); err != nil {
			return protocol.CoordinatorLoadInProgress
		}
		defer release()
	}
	state, err := t.look(ctx, x)
	if err != nil {
		return protocol.CoordinatorLoadInProgress // as of a check that the network has lost
	}
	code := x.refusal(req.ProducerID, req.ProducerEpoch)
	switch {
	case code != protocol.None:
		return ofEpoch(code)
	case req.Version >= 5: // KIP-890
		if code, err = t.join(ctx, x, &state, req.Group); err != nil {
			return protocol.CoordinatorLoadInProgress
		}
		return code
	case x.parts[protocol.PartitionFor(req.Group, t.partitions)]:
		return protocol.None
	case req.Version == 4:
		return protocol.TransactionAbortable
	}
	return protocol.InvalidTxnState
}
