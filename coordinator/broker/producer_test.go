package broker_test

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// Codes that no group has.
const (
	invalidProducerEpoch     protocol.ErrorCode = 47
	invalidProducerIDMapping protocol.ErrorCode = 49
	concurrentTransactions   protocol.ErrorCode = 51
	invalidRecord            protocol.ErrorCode = 87
	producerFenced           protocol.ErrorCode = 90
)

// A producer is a transactional producer by hand, whose requests are about group g and topic orders.
type producer struct {
	*client
	txn   string
	id    int64
	epoch int16
}

// produceAs asks for a producer, as the application does that starts under a transactional id.
func (c *client) produceAs(txn string) *producer {
	c.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis = 4, &txn, 60_000
	resp := ask[*kmsg.InitProducerIDResponse](c, req)
	c.want("InitProducerID", resp.ErrorCode, protocol.None)
	return &producer{client: c, txn: txn, id: resp.ProducerID, epoch: resp.ProducerEpoch}
}

func (c *client) want(what string, code int16, want protocol.ErrorCode) {
	c.t.Helper()
	if got := protocol.ErrorCode(code); got != want {
		c.t.Errorf("%s: %v, want %v", what, got.String(), want.String())
	}
}

func (p *producer) addOffsets(version int16) int16 {
	p.t.Helper()
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = version, p.txn, p.id, p.epoch, "g"
	return ask[*kmsg.AddOffsetsToTxnResponse](p.client, req).ErrorCode
}

func (p *producer) addPartitions(version int16) int16 {
	p.t.Helper()
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch = version, p.txn, p.id, p.epoch
	req.Topics = []kmsg.AddPartitionsToTxnRequestTopic{{Topic: "orders", Partitions: []int32{0}}}
	return ask[*kmsg.AddPartitionsToTxnResponse](p.client, req).Topics[0].Partitions[0].ErrorCode
}

// produce sends the first record of an epoch, as part of a transaction if there is a transactional id.
func (p *producer) produce(version int16, txn *string) int16 {
	p.t.Helper()
	b := recordBatch("order")
	b.ProducerID, b.ProducerEpoch, b.FirstSequence = p.id, p.epoch, 0
	if txn != nil {
		b.Attributes = 1 << 4
	}
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.TransactionID, req.Acks = version, txn, -1
	req.Topics = []kmsg.ProduceRequestTopic{{Topic: "orders", Partitions: []kmsg.ProduceRequestTopicPartition{{Records: sealed(b)}}}}
	return ask[*kmsg.ProduceResponse](p.client, req).Topics[0].Partitions[0].ErrorCode
}

func (p *producer) commitRequest(version int16, offset int64) *kmsg.TxnOffsetCommitRequest {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group, req.Generation = version, p.txn, p.id, p.epoch, "g", -1
	req.Topics = []kmsg.TxnOffsetCommitRequestTopic{{Topic: "orders", Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{{Offset: offset}}}}
	return req
}

func (p *producer) commit(version int16, offset int64) int16 {
	p.t.Helper()
	return ask[*kmsg.TxnOffsetCommitResponse](p.client, p.commitRequest(version, offset)).Topics[0].Partitions[0].ErrorCode
}

func (p *producer) end(version int16, commit bool) int16 {
	p.t.Helper()
	req := kmsg.NewPtrEndTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = version, p.txn, p.id, p.epoch, commit
	resp := ask[*kmsg.EndTxnResponse](p.client, req)
	if version >= 5 && resp.ErrorCode == 0 {
		p.id, p.epoch = resp.ProducerID, resp.ProducerEpoch
	}
	return resp.ErrorCode
}
