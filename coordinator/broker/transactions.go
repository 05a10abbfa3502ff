package broker

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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
	known    map[string]*transaction // by transactional id: those with offsets, or that somebody asks for
	watched  bool                    // a goroutine looks after those with offsets
	closed   bool
	watchers sync.WaitGroup
}

var _ coordinator.Transactions = (*transactions)(nil)

// A transaction is what there is to know of the offsets of a transactional id. All of it belongs to whoever has the turn,
// but for the number of users, which is under the lock of all transactions.
type transaction struct {
	id   string
	turn chan struct{} // whoever can send has the turn

	users int // that have the turn or wait for it

	producer  int64
	epoch     int16
	parts     map[int32]bool // the partitions of offsets that are part of it (G-282); those of no other transaction
	timeout   time.Time      // when kfake ends it
	ended     bool           // but not every group has stored that
	committed bool           // how it ended
}

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
		x = &transaction{id: strings.Clone(id), turn: make(chan struct{}, 1)} // the id may be a part of a whole request
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
	case len(x.parts) == 0:
		delete(t.known, x.id)
	case !t.watched && !t.closed:
		t.watched = true
		t.watchers.Go(t.watch)
	}
}

// watchInterval is how often is looked for transactions whose time is up, while there are any. Kafka looks every 10 s
// (transaction.abort.timed.out.transaction.cleanup.interval.ms).
const watchInterval = time.Second

// watch looks after transactions with offsets that nobody asks for, as long as there are any.
func (t *transactions) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-t.ctx.Done():
			return
		}
		due, ok := t.due(time.Now())
		if !ok {
			return
		}
		for _, id := range due {
			x, release, err := t.take(t.ctx, id)
			if err != nil {
				return
			}
			if _, err := t.look(t.ctx, x); err != nil {
				t.log.Debug("cannot ask for a transaction; asking again", zap.String("transactional id", id), zap.Error(err))
			}
			release()
		}
	}
}

// due returns the transactional ids to look at. It is not ok, and the watch ends, if there will be none.
func (t *transactions) due(now time.Time) (due []string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(t.known)) {
		x := t.known[id]
		if x.users > 0 { // who leaves it sees to it that somebody watches
			continue
		}
		ok = true
		if x.ended || !now.Before(x.timeout) {
			due = append(due, id)
		}
	}
	t.watched = ok
	return due, ok
}

// A txnState is what kfake says of a transactional id.
type txnState = kmsg.DescribeTransactionsResponseTransactionState

// look asks kfake for a transactional id, and settles a transaction that has ended without a word: its time was up.
// The caller has the turn.
func (t *transactions) look(ctx context.Context, x *transaction) (txnState, error) {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{x.id}
	resp, err := ask[*kmsg.DescribeTransactionsResponse](ctx, t.plane, req)
	if err != nil {
		return txnState{}, err
	}
	state := resp.TransactionStates[0]
	if len(x.parts) > 0 && !x.isUnderWay(&state) {
		t.end(ctx, x, false)
	}
	return state, nil
}

// takeAndLook takes the turn as take does, and asks kfake. Only the wait for the turn ends with ctx.
func (t *transactions) takeAndLook(ctx context.Context, id string) (*transaction, txnState, func(), error) {
	x, release, err := t.take(ctx, id)
	if err != nil {
		return nil, txnState{}, nil, err
	}
	state, err := t.look(t.ctx, x)
	if err != nil {
		release()
		return nil, txnState{}, nil, err
	}
	return x, state, release, nil
}

// isUnderWay tells whether the state is that of a transaction that has not ended. Each transaction has its own epoch,
// but for those that an EndTxn ends.
func (x *transaction) isUnderWay(state *txnState) bool {
	return state.State == ongoing && state.ProducerID == x.producer && state.ProducerEpoch == x.epoch
}

const ongoing = "Ongoing"

// end tells all groups that the transaction has ended. If one of them cannot store that, it is told again later; what
// was said of the end before stands. The caller has the turn.
func (t *transactions) end(ctx context.Context, x *transaction, committed bool) {
	if len(x.parts) == 0 {
		return
	}
	if !x.ended {
		x.ended, x.committed = true, committed
	}
	if err := t.groups.EndTransaction(ctx, x.producer, x.committed); err != nil {
		t.log.Warn("the end of a transaction could not be stored; trying again", zap.String("transactional id", x.id),
			zap.Int64("producer id", x.producer), zap.Bool("committed", x.committed), zap.Error(err))
		return
	}
	x.parts, x.ended, x.committed = nil, false, false
}

// join adds a group's partition of offsets to the producer's transaction, which begins if none is under way. The caller
// has the turn, and has found the producer in the state.
func (t *transactions) join(ctx context.Context, x *transaction, state *txnState, group string) (protocol.ErrorCode, error) {
	part := protocol.PartitionFor(group, t.partitions)
	if x.parts[part] {
		return protocol.None, nil
	}
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = x.id, state.ProducerID, state.ProducerEpoch, group
	resp, err := ask[*kmsg.AddOffsetsToTxnResponse](ctx, t.plane, req)
	if err != nil || resp.ErrorCode != 0 {
		return protocol.ErrorCode(resp.ErrorCode), err
	}
	if x.parts == nil {
		began := time.Now()
		if state.State == ongoing {
			began = time.UnixMilli(state.StartTimestamp)
		}
		x.parts, x.timeout = make(map[int32]bool), began.Add(time.Duration(state.TimeoutMillis)*time.Millisecond)
		x.producer, x.epoch = state.ProducerID, state.ProducerEpoch
	}
	x.parts[part] = true
	return protocol.None, nil
}

// refusal tells why a producer may not add to its transaction; None if it may. The caller has the turn.
func (x *transaction) refusal(state *txnState, producer int64, epoch int16) protocol.ErrorCode {
	switch {
	case x.id == "":
		return protocol.InvalidRequest
	case !has(state, producer):
		return invalidProducerIDMapping
	case state.ProducerEpoch != epoch:
		return producerFenced
	case x.ended:
		return concurrentTransactions
	}
	return protocol.None
}

// has tells whether the transactional id is that producer's. kfake finds producers by their own ids alone.
func has(state *txnState, producer int64) bool {
	return state.ErrorCode == 0 && state.ProducerID == producer
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
	code := x.refusal(&state, req.ProducerID, req.ProducerEpoch)
	switch {
	case code == producerFenced:
		return invalidProducerEpoch
	case code != protocol.None:
		return code
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
