package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// The requests of a transactional producer. Its client may go away while one of them is at kfake; what becomes of its
// transaction must be known all the same, and so they do not go over the connection's link.

// addPartitions makes partitions of topics a part of the producer's transaction.
func (c *conn) addPartitions(header protocol.RequestHeader, req *kmsg.AddPartitionsToTxnRequest) ([]byte, error) {
	t := c.broker.transactions
	x, _, release, err := t.takeAndLook(c.ctx, req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	code := x.refusal(req.ProducerID, req.ProducerEpoch)
	if code == protocol.None {
		resp, err := ask[*kmsg.AddPartitionsToTxnResponse](t.ctx, t.plane, req)
		return c.respond(header, resp), err
	}
	resp := req.ResponseKind().(*kmsg.AddPartitionsToTxnResponse)
	for _, topic := range req.Topics {
		refused := kmsg.NewAddPartitionsToTxnResponseTopic()
		refused.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			p := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
			p.Partition, p.ErrorCode = partition, fenced(code, req.Version >= 2)
			refused.Partitions = append(refused.Partitions, p)
		}
		resp.Topics = append(resp.Topics, refused)
	}
	return c.respond(header, resp), nil
}

// addOffsets makes a group's offsets a part of the producer's transaction.
func (c *conn) addOffsets(header protocol.RequestHeader, req *kmsg.AddOffsetsToTxnRequest) ([]byte, error) {
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	code := x.refusal(req.ProducerID, req.ProducerEpoch)
	if code == protocol.None {
		if code, err = t.join(t.ctx, x, &state, req.Group); err != nil {
			return nil, err
		}
	}
	resp := req.ResponseKind().(*kmsg.AddOffsetsToTxnResponse)
	resp.ErrorCode = fenced(code, req.Version >= 2)
	return c.respond(header, resp), nil
}

// endTransaction has kfake end a transaction, and tells the groups before the producer has its answer. Until they have
// stored it the answer is to come again: so an end that is confirmed is one that lasts.
func (c *conn) endTransaction(header protocol.RequestHeader, req *kmsg.EndTxnRequest) ([]byte, error) {
	t := c.broker.transactions
	x, state, release, err := t.takeAndLook(c.ctx, req.TransactionalID)
	if err != nil {
		return nil, err
	}
	defer release()
	how, underWay, bumps := aborted, state.State == ongoing, req.Version >= 5
	if req.Commit {
		how = committed
	}
	code := x.refusal(req.ProducerID, req.ProducerEpoch)
	before := code == producerFenced && req.ProducerEpoch == x.last && x.outcome != undecided // what ended it has ended the epoch
	switch {
	case !underWay && (bumps && before || !bumps && code == protocol.None): // asked again
		if code = protocol.None; how != x.outcome {
			code = protocol.InvalidTxnState
		}
	case code == protocol.None && !underWay && how == committed:
		code = protocol.InvalidTxnState
	case code == protocol.None:
		code, err = t.finish(x, &state, req, how)
	}
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind().(*kmsg.EndTxnResponse)
	resp.ErrorCode = fenced(code, req.Version >= 2)
	if code == protocol.None {
		resp.ProducerID, resp.ProducerEpoch = x.producer, x.epoch
	}
	return c.respond(header, resp), nil
}

// finish ends a transaction that the producer may end, at kfake and in the groups. The caller has the turn.
func (t *transactions) finish(x *transaction, state *txnState, req *kmsg.EndTxnRequest, how outcome) (protocol.ErrorCode, error) {
	resp, err := ask[*kmsg.EndTxnResponse](t.ctx, t.plane, req)
	if err != nil || resp.ErrorCode != 0 {
		return protocol.ErrorCode(resp.ErrorCode), err
	}
	t.end(t.ctx, x, how)
	if x.ended {
		return concurrentTransactions, nil
	}
	if req.Version < 5 {
		return protocol.None, nil
	}
	x.become(resp.ProducerID, resp.ProducerEpoch)
	if x.epoch <= maxEpoch {
		return protocol.None, nil
	}
	renewed, err := t.renew(x, state.TimeoutMillis)
	if err != nil || renewed.ErrorCode != 0 {
		return protocol.ErrorCode(renewed.ErrorCode), err
	}
	x.become(renewed.ProducerID, renewed.ProducerEpoch)
	return protocol.None, nil
}

// fenced is a code as a client knows it that may be from before PRODUCER_FENCED (KIP-588).
func fenced(code protocol.ErrorCode, known bool) int16 {
	if !known {
		code = ofEpoch(code)
	}
	return int16(code)
}

// ofEpoch is a code as those tell it that never say PRODUCER_FENCED.
func ofEpoch(code protocol.ErrorCode) protocol.ErrorCode {
	if code == producerFenced {
		return invalidProducerEpoch
	}
	return code
}
