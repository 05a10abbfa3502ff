package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// initProducer has kfake make or renew a producer.
func (c *conn) initProducer(frame []byte, header protocol.RequestHeader, req *kmsg.InitProducerIDRequest) ([]byte, error) {
	resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
	switch {
	case (req.ProducerID == none) != (req.ProducerEpoch == none):
		resp.ErrorCode = int16(protocol.InvalidRequest)
		return c.respond(header, resp), nil
	case req.TransactionalID == nil:
		return c.exchange(frame, true)
	}
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, *req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	code, err := t.initialize(x, &state, req)
	if err != nil {
		return nil, err
	}
	resp.ErrorCode = fenced(code, req.Version >= 4)
	if code == protocol.None {
		resp.ProducerID, resp.ProducerEpoch = x.producer, x.epoch
	}
	return c.respond(header, resp), nil
}

// initialize gives the transactional id a producer for who asks without one, which fences the one before, or renews its
// own for who asks with that (KIP-360). Either aborts the transaction that is under way; until the groups know of it the
// producer is told to come again. The caller has the turn.
func (t *transactions) initialize(x *transaction, state *txnState, req *kmsg.InitProducerIDRequest) (protocol.ErrorCode, error) {
	renews := req.ProducerID != none && x.producer != none
	switch {
	case x.ended:
		return concurrentTransactions, nil
	case !renews:
	case req.ProducerID == x.producer && req.ProducerEpoch == x.last && state.State != ongoing:
		return protocol.None, nil // asked again
	case req.ProducerID != x.producer || req.ProducerEpoch != x.epoch:
		return producerFenced, nil
	}
	resp, err := t.renew(x, req.TransactionTimeoutMillis)
	if err == nil && state.State == ongoing && !renews { // Kafka fences with an epoch, and has the producer ask again
		resp, err = t.renew(x, req.TransactionTimeoutMillis)
	}
	if err != nil || resp.ErrorCode != 0 {
		return protocol.ErrorCode(resp.ErrorCode), err
	}
	t.end(t.ctx, x, aborted)
	if x.ended {
		return concurrentTransactions, nil
	}
	x.become(resp.ProducerID, resp.ProducerEpoch)
	x.outcome = undecided
	if !renews {
		x.last = none
	}
	return protocol.None, nil
}

// renew has kfake give a transactional id the next epoch or, when there are no more of them, another producer id.
func (t *transactions) renew(x *transaction, timeoutMillis int32) (*kmsg.InitProducerIDResponse, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = &x.id, timeoutMillis
	resp, err := ask[*kmsg.InitProducerIDResponse](t.ctx, t.plane, req)
	if err == nil && resp.ProducerEpoch > maxEpoch {
		resp, err = ask[*kmsg.InitProducerIDResponse](t.ctx, t.plane, req)
	}
	return resp, err
}
