package script

import "github.com/twmb/franz-go/pkg/kmsg"

func initProducerID(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrInitProducerIDRequest()
	r.TransactionTimeoutMillis = 60_000 // as clients do
	return r, []field{
		{name: "txn", set: func(value string) error {
			r.TransactionalID = new(string)
			return n.group(r.TransactionalID)(value)
		}},
		{name: "timeout", set: millis(&r.TransactionTimeoutMillis)},
	}
}

func addOffsetsToTxn(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrAddOffsetsToTxnRequest()
	return r, []field{
		{name: "txn", set: n.group(&r.TransactionalID)},
		{name: "producer", set: n.producer(&r.ProducerID)},
		{name: "epoch", set: integer(&r.ProducerEpoch)},
		{name: "group", set: n.group(&r.Group)},
	}
}

func txnOffsetCommit(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrTxnOffsetCommitRequest()
	return r, []field{
		{name: "txn", set: n.group(&r.TransactionalID)},
		{name: "producer", set: n.producer(&r.ProducerID)},
		{name: "epoch", set: integer(&r.ProducerEpoch)},
		{name: "group", set: n.group(&r.Group)},
		{name: "gen", from: 3, set: integer(&r.Generation)},
		{name: "member", from: 3, set: n.member(&r.MemberID)},
		{name: "instance", from: 3, set: nullable(&r.InstanceID)},
		{name: "offsets", set: each(func(entry string) error {
			topic, from, err := n.commitPartition(entry)
			if err != nil {
				return err
			}
			if last := len(r.Topics) - 1; last < 0 || r.Topics[last].Topic != topic {
				t := kmsg.NewTxnOffsetCommitRequestTopic()
				t.Topic, t.TopicID = topic, n.topicID(topic)
				r.Topics = append(r.Topics, t)
			}
			p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = from.Partition, from.Offset, from.LeaderEpoch, from.Metadata
			last := &r.Topics[len(r.Topics)-1]
			last.Partitions = append(last.Partitions, p)
			return nil
		})},
	}
}

func endTxn(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrEndTxnRequest()
	return r, []field{
		{name: "txn", set: n.group(&r.TransactionalID)},
		{name: "producer", set: n.producer(&r.ProducerID)},
		{name: "epoch", set: integer(&r.ProducerEpoch)},
		{name: "commit", set: boolean(&r.Commit)},
	}
}
