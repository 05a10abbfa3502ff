package script

import (
	"context"
	"sync"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// coreTransactions stands in for the coordinator of transactions, which the core does not have: whoever embeds the core
// brings it. It knows what scripts show: which producer has which epoch, and which groups belong to its transaction.
type coreTransactions struct {
	coordinator *coordinator.Coordinator

	mu   sync.Mutex
	byID map[string]*coreTransaction
}

type coreTransaction struct {
	producer int64
	epoch    int16
	groups   map[string]bool // nil: none is under way
	last     end             // of the transaction before
}

// An end is how a transaction has ended.
type end int

const (
	never end = iota
	aborted
	committed
)

// answer answers the requests of producers; ok is false for all others.
func (t *coreTransactions) answer(ctx context.Context, req kmsg.Request) (resp kmsg.Response, ok bool) {
	switch r := req.(type) {
	case *kmsg.InitProducerIDRequest:
		return t.initProducer(ctx, r), true
	case *kmsg.AddOffsetsToTxnRequest:
		resp := r.ResponseKind().(*kmsg.AddOffsetsToTxnResponse)
		resp.ErrorCode = fenced(t.add(r.TransactionalID, r.ProducerID, r.ProducerEpoch, r.Group), r.Version >= 2)
		return resp, true
	case *kmsg.EndTxnRequest:
		return t.end(ctx, r), true
	}
	return nil, false
}

// find returns the transaction of a producer, or the error for one that is not its latest.
func (t *coreTransactions) find(id string, producer int64, epoch int16) (*coreTransaction, protocol.ErrorCode) {
	txn := t.byID[id]
	switch {
	case txn == nil || txn.producer != producer:
		return nil, invalidProducerIDMapping
	case txn.epoch != epoch:
		return nil, producerFenced
	}
	return txn, protocol.None
}

const (
	invalidProducerEpoch     protocol.ErrorCode = 47
	invalidProducerIDMapping protocol.ErrorCode = 49
	producerFenced           protocol.ErrorCode = 90
)

// initProducer gives out a producer id, or a new epoch of it. What the producer before has under way is aborted, in an epoch
// between.
func (t *coreTransactions) initProducer(ctx context.Context, req *kmsg.InitProducerIDRequest) kmsg.Response {
	t.mu.Lock()
	txn, underWay := t.byID[*req.TransactionalID], false
	if txn == nil {
		txn = &coreTransaction{producer: int64(1000 + len(t.byID)), epoch: -1}
		t.byID[*req.TransactionalID] = txn
	} else if underWay = txn.groups != nil; underWay {
		txn.epoch++
		txn.groups = nil
	}
	txn.epoch++
	txn.last = never
	resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
	resp.ProducerID, resp.ProducerEpoch = txn.producer, txn.epoch
	t.mu.Unlock()
	if underWay {
		resp.ErrorCode = codeOf(t.coordinator.EndTransaction(ctx, txn.producer, false))
	}
	return resp
}

// add makes a group part of a transaction, which begins with that if it has not begun.
func (t *coreTransactions) add(id string, producer int64, epoch int16, group string) protocol.ErrorCode {
	t.mu.Lock()
	defer t.mu.Unlock()
	txn, code := t.find(id, producer, epoch)
	if code == protocol.None {
		if txn.groups == nil {
			txn.groups = make(map[string]bool)
		}
		txn.groups[group] = true
	}
	return code
}

func (t *coreTransactions) end(ctx context.Context, req *kmsg.EndTxnRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.EndTxnResponse)
	t.mu.Lock()
	txn, code := t.find(req.TransactionalID, req.ProducerID, req.ProducerEpoch)
	how := aborted
	if req.Commit {
		how = committed
	}
	if code == protocol.None && txn.groups == nil && txn.last != how { // who lost the answer asks once more
		code = protocol.InvalidTxnState
	}
	if code == protocol.None {
		txn.groups, txn.last = nil, how
		if req.Version >= 5 { // which fences the producer's own late requests (KIP-890)
			txn.epoch++
		}
		resp.ProducerID, resp.ProducerEpoch = txn.producer, txn.epoch
	}
	t.mu.Unlock()
	if resp.ErrorCode = fenced(code, req.Version >= 2); code == protocol.None {
		resp.ErrorCode = codeOf(t.coordinator.EndTransaction(ctx, req.ProducerID, req.Commit))
	}
	return resp
}

// CheckOffsets implements coordinator.Transactions.
func (t *coreTransactions) CheckOffsets(_ context.Context, req *kmsg.TxnOffsetCommitRequest) protocol.ErrorCode {
	t.mu.Lock()
	txn, code := t.find(req.TransactionalID, req.ProducerID, req.ProducerEpoch)
	added := txn != nil && txn.groups[req.Group]
	t.mu.Unlock()
	switch {
	case code == producerFenced:
		return invalidProducerEpoch
	case code != protocol.None || added:
		return code
	case req.Version >= 5: // it adds the group by itself (G-611)
		return t.add(req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group)
	case req.Version == 4:
		return protocol.TransactionAbortable
	}
	return protocol.InvalidTxnState
}

// fenced is a code as a client knows it that may be from before PRODUCER_FENCED (KIP-588).
func fenced(code protocol.ErrorCode, known bool) int16 {
	if code == producerFenced && !known {
		return int16(invalidProducerEpoch)
	}
	return int16(code)
}

// codeOf returns the code to answer for what became of the end of a transaction.
func codeOf(err error) int16 {
	if err != nil {
		return int16(protocol.UnknownServerError)
	}
	return 0
}
