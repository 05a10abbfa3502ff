package broker

import (
	"context"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// A transaction is what the door knows of a transactional id: its producer, of whom kfake believes too much, and the
// offsets of its transaction. All of it belongs to whoever has the turn, but for the number of users, which is under the
// lock of all transactions.
type transaction struct {
	id   string
	turn chan struct{} // whoever can send has the turn

	users int // that have the turn or wait for it

	producer int64   // none: kfake has no such transactional id
	epoch    int16   // the producer's
	last     int16   // whose owner may ask again for what has ended it (KIP-360, KIP-890); or none
	outcome  outcome // of the last transaction since there is this producer

	parts   map[int32]bool // the partitions of offsets that are part of the transaction (G-282)
	timeout time.Time      // when kfake ends it, if there are such
	ended   bool           // but not every group has stored the outcome; the producer is the one before then
}

// none stands for the id or the epoch of a producer that there is not.
const none = -1

// An outcome tells how a transaction has ended.
type outcome uint8

const (
	undecided outcome = iota // there was no transaction yet
	committed
	aborted
)

// maxEpoch is the last epoch in which a producer may have a transaction. kfake, which gives the producer of epoch
// 32766 a new id, does so for ever when the time of such a transaction is up.
const maxEpoch = math.MaxInt16 - 2

func newTransaction(id string) *transaction {
	return &transaction{id: id, turn: make(chan struct{}, 1), producer: none, epoch: none, last: none}
}

// become notes that kfake has given the transactional id another producer, or the producer another epoch.
func (x *transaction) become(producer int64, epoch int16) {
	x.last = none
	if producer == x.producer {
		x.last = x.epoch
	}
	x.producer, x.epoch = producer, epoch
}

// refusal tells why a producer may not go on with its transaction; None if it may.
func (x *transaction) refusal(producer int64, epoch int16) protocol.ErrorCode {
	switch {
	case x.id == "":
		return protocol.InvalidRequest
	case x.producer == none || producer != x.producer:
		return invalidProducerIDMapping
	case x.ended:
		return concurrentTransactions
	case epoch != x.epoch || epoch > maxEpoch:
		return producerFenced
	}
	return protocol.None
}

// A txnState is what kfake says of a transactional id.
type txnState = kmsg.DescribeTransactionsResponseTransactionState

// ongoing is the state of a transactional id that has a transaction under way.
const ongoing = "Ongoing"

// look asks kfake for a transactional id, and settles a transaction that has ended without a word: its time was up, and
// its epoch with it. The caller has the turn.
func (t *transactions) look(ctx context.Context, x *transaction) (txnState, error) {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{x.id}
	resp, err := ask[*kmsg.DescribeTransactionsResponse](ctx, t.plane, req)
	if err != nil {
		return txnState{}, err
	}
	state := resp.TransactionStates[0]
	if state.ErrorCode != 0 { // it is not known, or not any more
		state.ProducerID, state.ProducerEpoch = none, none
	}
	moved := state.ProducerID != x.producer || state.ProducerEpoch != x.epoch
	if moved || len(x.parts) > 0 && state.State != ongoing {
		t.end(ctx, x, aborted)
	}
	if moved && !x.ended {
		x.become(state.ProducerID, state.ProducerEpoch)
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

// end tells all groups how the transaction has ended. If one of them cannot store that, it is told again later; what
// was said of the end before stands. The caller has the turn.
func (t *transactions) end(ctx context.Context, x *transaction, how outcome) {
	if !x.ended {
		x.outcome = how
	}
	if len(x.parts) == 0 {
		return
	}
	x.ended = true
	if err := t.groups.EndTransaction(ctx, x.producer, x.outcome == committed); err != nil {
		t.log.Warn("the end of a transaction could not be stored; trying again", zap.String("transactional id", x.id),
			zap.Int64("producer id", x.producer), zap.Bool("committed", x.outcome == committed), zap.Error(err))
		return
	}
	x.parts, x.ended = nil, false
}

// join adds a group's partition of offsets to the producer's transaction, which begins if none is under way. The caller
// has the turn, and has found that the producer may.
func (t *transactions) join(ctx context.Context, x *transaction, state *txnState, group string) (protocol.ErrorCode, error) {
	part := protocol.PartitionFor(group, t.partitions)
	if x.parts[part] {
		return protocol.None, nil
	}
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = x.id, x.producer, x.epoch, group
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
	}
	x.parts[part] = true
	return protocol.None, nil
}
