package protocol

import "github.com/twmb/franz-go/pkg/kmsg"

// transactionRequest renders a request of a producer's transaction; of any other API nothing.
func (l *line) transactionRequest(req kmsg.Request) {
	switch r := req.(type) {
	case *kmsg.InitProducerIDRequest:
		l.initProducerIDRequest(r)
	case *kmsg.AddOffsetsToTxnRequest:
		l.addOffsetsToTxnRequest(r)
	case *kmsg.TxnOffsetCommitRequest:
		l.txnOffsetCommitRequest(r)
	case *kmsg.EndTxnRequest:
		l.endTxnRequest(r)
	}
}

// transactionResponse renders the response to a request of a producer's transaction; of any other API its name.
func (l *line) transactionResponse(resp kmsg.Response) {
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		l.initProducerIDResponse(r)
	case *kmsg.AddOffsetsToTxnResponse:
		l.code(r.ErrorCode)
	case *kmsg.TxnOffsetCommitResponse:
		l.txnOffsetCommitResponse(r)
	case *kmsg.EndTxnResponse:
		l.endTxnResponse(r)
	default:
		l.word(kmsg.NameForKey(resp.Key()))
	}
}

func (l *line) initProducerIDRequest(r *kmsg.InitProducerIDRequest) {
	l.transactionalID(r.TransactionalID)
	l.field("timeout", millis(int64(r.TransactionTimeoutMillis)))
	if r.ProducerID != -1 {
		l.producer(r.ProducerID, r.ProducerEpoch)
	}
}

func (l *line) initProducerIDResponse(r *kmsg.InitProducerIDResponse) {
	l.code(r.ErrorCode)
	if r.ErrorCode == 0 {
		l.producer(r.ProducerID, r.ProducerEpoch)
	}
}

func (l *line) addOffsetsToTxnRequest(r *kmsg.AddOffsetsToTxnRequest) {
	l.transactionalID(&r.TransactionalID)
	l.producer(r.ProducerID, r.ProducerEpoch)
	l.field("group", l.group(r.Group))
}

func (l *line) endTxnRequest(r *kmsg.EndTxnRequest) {
	l.transactionalID(&r.TransactionalID)
	l.producer(r.ProducerID, r.ProducerEpoch)
	l.flag("commit", r.Commit)
}

func (l *line) endTxnResponse(r *kmsg.EndTxnResponse) {
	l.code(r.ErrorCode)
	if l.version >= 5 && r.ErrorCode == 0 {
		l.producer(r.ProducerID, r.ProducerEpoch)
	}
}

func (l *line) txnOffsetCommitRequest(r *kmsg.TxnOffsetCommitRequest) {
	l.transactionalID(&r.TransactionalID)
	l.producer(r.ProducerID, r.ProducerEpoch)
	l.field("group", l.group(r.Group))
	l.number("gen", int64(r.Generation), -1)
	l.memberID("member", r.MemberID)
	l.nullable("instance", r.InstanceID)
	var offsets entries
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			offsets.add(func() string {
				return committedText(l.txnTopic(t.Topic, t.TopicID), p.Partition, p.Offset, p.LeaderEpoch, p.Metadata)
			})
		}
	}
	l.field("offsets", brackets(offsets.texts()))
}

func (l *line) txnOffsetCommitResponse(r *kmsg.TxnOffsetCommitResponse) {
	var offsets entries
	for _, t := range r.Topics {
		offsets.addCodes(l.txnTopic(t.Topic, t.TopicID), len(t.Partitions), func(i int) (int32, int16) {
			return t.Partitions[i].Partition, t.Partitions[i].ErrorCode
		})
	}
	l.field("offsets", brackets(offsets.texts()))
}

// txnTopic is topic for TxnOffsetCommit, which has ids from version 6 on.
func (l *line) txnTopic(name string, id [16]byte) string {
	if l.version >= 6 {
		return l.topicID(id)
	}
	return quote(name)
}

// transactionalID appends a transactional id unless it is null.
func (l *line) transactionalID(id *string) {
	if id != nil {
		l.field("txn", l.group(*id))
	}
}

// producer appends a producer's id and epoch.
func (l *line) producer(id int64, epoch int16) {
	text := number(id)
	if l.names.Producer != nil {
		if name := l.names.Producer(id); name != "" {
			text = name
		}
	}
	l.field("producer", text)
	l.field("epoch", number(epoch))
}
