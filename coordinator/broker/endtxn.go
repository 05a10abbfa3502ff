package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// The requests of a transactional producer that concern groups too. The client may go away while one of them is at
// kfake; what becomes of its transaction must be known all the same, and so they do not go over the connection's link.

// addOffsets makes a group's offsets a part of the producer's transaction.
func (c *conn) addOffsets(header protocol.RequestHeader, req *kmsg.AddOffsetsToTxnRequest) ([]byte, error) {
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	code := x.refusal(&state, req.ProducerID, req.ProducerEpoch)
	if code == protocol.None {
		if code, err = t.join(t.ctx, x, &state, req.Group); err != nil {
			return nil, err
		}
	}
	resp := req.ResponseKind().(*kmsg.AddOffsetsToTxnResponse)
	resp.ErrorCode = fenced(int16(code), req.Version >= 2)
	return c.respond(header, resp), nil
}

// endTransaction has kfake end a transaction, and tells the groups before the producer has its answer.
func (c *conn) endTransaction(frame []byte, header protocol.RequestHeader, req *kmsg.EndTxnRequest) ([]byte, error) {
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	resp := req.ResponseKind().(*kmsg.EndTxnResponse)
	if !has(&state, req.ProducerID) {
		resp.ErrorCode = int16(invalidProducerIDMapping)
		return c.respond(header, resp), nil
	}
	answer, err := t.plane.once(t.ctx, frame)
	if err != nil {
		return nil, err
	}
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	if resp.ErrorCode == 0 {
		t.end(t.ctx, x, req.Commit)
	}
	resp.ErrorCode = fenced(resp.ErrorCode, req.Version >= 2)
	return c.respond(header, resp), nil
}

// initProducer has kfake make or renew a producer. With that kfake aborts the transaction of the one before; the new one
// is told to come again until the groups know of it, as by Kafka.
func (c *conn) initProducer(frame []byte, header protocol.RequestHeader, req *kmsg.InitProducerIDRequest) ([]byte, error) {
	if req.TransactionalID == nil {
		return c.exchange(frame, true)
	}
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, *req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
	if req.ProducerID >= 0 && !has(&state, req.ProducerID) { // kfake would renew the producer, whoever's it is
		resp.ErrorCode = fenced(int16(producerFenced), req.Version >= 4)
		return c.respond(header, resp), nil
	}
	answer, err := t.plane.once(t.ctx, frame)
	if err == nil && state.State == ongoing && req.ProducerID < 0 { // Kafka fences with an epoch, and has the producer ask again
		answer, err = t.plane.once(t.ctx, frame)
	}
	if err != nil {
		return nil, err
	}
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	if resp.ErrorCode == 0 {
		t.end(t.ctx, x, false)
	}
	if x.ended {
		resp.ErrorCode, resp.ProducerID, resp.ProducerEpoch = int16(concurrentTransactions), -1, -1
	}
	resp.ErrorCode = fenced(resp.ErrorCode, req.Version >= 4)
	return c.respond(header, resp), nil
}

// fenced is a code as a client knows it that may be from before PRODUCER_FENCED (KIP-588).
func fenced(code int16, known bool) int16 {
	if code == int16(producerFenced) && !known {
		return int16(invalidProducerEpoch)
	}
	return code
}
