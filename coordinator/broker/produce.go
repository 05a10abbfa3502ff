package broker

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// produce passes records on, unless one of the batches is not what it says, or not its producer's.
func (c *conn) produce(frame []byte, header protocol.RequestHeader, req *kmsg.ProduceRequest) ([]byte, error) {
	var producer *transaction
	if req.TransactionID != nil {
		x, _, release, err := c.broker.transactions.takeAndLook(c.ctx, *req.TransactionID)
		if err != nil {
			return nil, err
		}
		defer release()
		producer = x
	}
	for _, topic := range req.Topics {
		for _, partition := range topic.Partitions {
			code, err := invalidRecord, c.broker.batches.check(partition.Records)
			if err == nil {
				code, err = producer.check(partition.Records)
			}
			switch {
			case err != nil && req.Acks == 0:
				return nil, fmt.Errorf("topic %s: partition %d: %w", topic.Topic, partition.Partition, err) // as Kafka tells who wants no answer
			case err != nil:
				return c.respond(header, refuseRecords(req, code, err)), nil
			}
		}
	}
	return c.exchange(frame, req.Acks != 0)
}

// transactional is the attribute of a batch that is part of a transaction.
const transactional = 1 << 4

// check tells what is wrong with a batch for the producer that the request names, nil if it names none. kfake takes a
// batch for any transaction's whose producer id it has, in that epoch or a later one.
func (x *transaction) check(raw []byte) (protocol.ErrorCode, error) {
	var batch kmsg.RecordBatch
	if err := batch.ReadFrom(raw); err != nil || batch.Attributes&transactional == 0 {
		return protocol.None, nil
	}
	code := transactionalIDAuthorizationFailed // as Kafka answers
	if x != nil {
		code = ofEpoch(x.refusal(batch.ProducerID, batch.ProducerEpoch))
	}
	if code != protocol.None {
		return code, fmt.Errorf("a batch of producer %d in epoch %d: %w", batch.ProducerID, batch.ProducerEpoch, code)
	}
	return protocol.None, nil
}

// refuseRecords answers that none of the records was taken. Kafka would take those of the other partitions; but who sends
// such a batch is not asked again.
func refuseRecords(req *kmsg.ProduceRequest, code protocol.ErrorCode, err error) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for _, topic := range req.Topics {
		t := kmsg.NewProduceResponseTopic()
		t.Topic, t.TopicID = topic.Topic, topic.TopicID
		for _, partition := range topic.Partitions {
			p := kmsg.NewProduceResponseTopicPartition()
			p.Partition, p.ErrorCode, p.ErrorMessage = partition.Partition, int16(code), new(err.Error())
			t.Partitions = append(t.Partitions, p)
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp
}
