package coordinator

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// Transactions tells the coordinator of the transactions that there are. They belong to the data plane.
type Transactions interface {
	// CheckOffsets tells whether the producer may commit a group's offsets in a transaction that is under way: None, or
	// the error for it, such as INVALID_TXN_STATE or INVALID_PRODUCER_EPOCH (G-282). It may wait, and is called
	// concurrently. Whoever answers None owes the coordinator an EndTransaction, and not before the request is answered.
	CheckOffsets(ctx context.Context, req *kmsg.TxnOffsetCommitRequest) protocol.ErrorCode
}

// AnyTransaction is the Transactions of a coordinator that trusts its producers.
type AnyTransaction struct{}

// CheckOffsets returns None.
func (AnyTransaction) CheckOffsets(context.Context, *kmsg.TxnOffsetCommitRequest) protocol.ErrorCode {
	return protocol.None
}

// transactionalCommit is a TxnOffsetCommit: an OffsetCommit in other clothes (G-280 to G-289).
type transactionalCommit struct {
	commitOperation
	req *kmsg.TxnOffsetCommitRequest
}

func (c *Coordinator) commitInTransaction(ctx context.Context, peer Peer, req *kmsg.TxnOffsetCommitRequest) (kmsg.Response, error) {
	op, ev := c.commitEvent(plainCommit(req))
	ev.Transactional, ev.ProducerID = true, req.ProducerID
	txn := transactionalCommit{commitOperation: op, req: req}
	if req.Group == "" {
		return txn.failed(protocol.InvalidGroupID), nil // G-281
	}
	if len(ev.Offsets) == 0 {
		return txn.reply(&group.Reply{}), nil
	}
	if code := c.config.Transactions.CheckOffsets(ctx, req); code != protocol.None {
		return txn.failed(code), nil
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: txn, event: ev})
}

// plainCommit is the same request as an OffsetCommit of a version with the same fields, and the same answer where there is no
// group (G-283).
func plainCommit(req *kmsg.TxnOffsetCommitRequest) *kmsg.OffsetCommitRequest {
	plain := kmsg.NewPtrOffsetCommitRequest()
	plain.Version = 8
	if req.Version >= 6 {
		plain.Version = 10 // topics by id
	}
	plain.Group, plain.MemberID, plain.InstanceID, plain.Generation = req.Group, req.MemberID, req.InstanceID, req.Generation
	if req.Version < 3 {
		plain.MemberID, plain.InstanceID, plain.Generation = "", nil, -1 // G-285
	}
	for i := range req.Topics {
		from := &req.Topics[i]
		t := kmsg.NewOffsetCommitRequestTopic()
		t.Topic, t.TopicID = from.Topic, from.TopicID
		for _, p := range from.Partitions {
			to := kmsg.NewOffsetCommitRequestTopicPartition()
			to.Partition, to.Offset, to.LeaderEpoch, to.Metadata = p.Partition, p.Offset, p.LeaderEpoch, p.Metadata
			if req.Version < 2 {
				to.LeaderEpoch = -1
			}
			t.Partitions = append(t.Partitions, to)
		}
		plain.Topics = append(plain.Topics, t)
	}
	return plain
}

func (op transactionalCommit) reply(r *group.Reply) kmsg.Response {
	plain := op.commitOperation.reply(r).(*kmsg.OffsetCommitResponse)
	resp := kmsg.NewPtrTxnOffsetCommitResponse()
	resp.Version = op.req.Version
	for _, from := range plain.Topics {
		t := kmsg.NewTxnOffsetCommitResponseTopic()
		t.Topic, t.TopicID = from.Topic, from.TopicID
		for _, p := range from.Partitions {
			to := kmsg.NewTxnOffsetCommitResponseTopicPartition()
			to.Partition, to.ErrorCode = p.Partition, p.ErrorCode
			t.Partitions = append(t.Partitions, to)
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp
}

func (op transactionalCommit) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code)})
}

func (op transactionalCommit) whileLoading() kmsg.Response {
	if op.req.Version < 2 {
		return op.failed(protocol.CoordinatorNotAvailable) // G-289
	}
	return op.failed(protocol.CoordinatorLoadInProgress)
}

// EndTransaction tells every group that a producer's transaction is over, committed or aborted, and returns when all of
// them have stored what follows from it. An error says that a group could not: then it is to be called again, which
// changes nothing where it was done. While a partition is loading that is so too.
func (c *Coordinator) EndTransaction(ctx context.Context, producerID int64, committed bool) error {
	return c.tellEach(ctx,
		func(g *group.Group) bool { return g.InTransaction(producerID) },
		group.Event{Kind: group.EndTransaction, ProducerID: producerID, Committed: committed})
}

// PendingTransactions returns the ids of the producers whose transactions have offsets in some group, in order. Whoever
// starts a coordinator on the records of an earlier one asks for them, and ends what the data plane does not know any more.
// Commits that the store has not answered are not seen.
func (c *Coordinator) PendingTransactions(ctx context.Context) ([]int64, error) {
	var producers []int64
	for _, p := range c.partitions {
		_, err := p.survey(ctx, func(g *group.Group) bool {
			producers = append(producers, g.Transactions()...)
			return false
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(producers)
	return slices.Compact(producers), nil
}

// TopicDeleted tells every group that a topic is no more, and returns when their offsets for it are gone (G-321).
func (c *Coordinator) TopicDeleted(ctx context.Context, topic string) error {
	return c.tellEach(ctx,
		func(g *group.Group) bool { return g.HasOffsets(topic) },
		group.Event{Kind: group.TopicDeleted, Topic: topic})
}

// tellEach tells an event to every group that it may concern. Whatever becomes of one, the others are told.
func (c *Coordinator) tellEach(ctx context.Context, fits func(*group.Group) bool, ev group.Event) error {
	var errs []error
	for _, p := range c.partitions {
		groups, err := p.survey(ctx, fits)
		errs = append(errs, err)
		for _, id := range groups {
			errs = append(errs, c.tell(ctx, id, ev))
		}
	}
	return errors.Join(errs...)
}

// tell steps an event that nobody on the wire has asked for, and returns what became of it.
func (c *Coordinator) tell(ctx context.Context, groupID string, ev group.Event) error {
	op := notice{code: new(protocol.ErrorCode)}
	if _, err := c.ask(ctx, Peer{}, &call{groupID: groupID, op: op, event: ev}); err != nil {
		return err
	}
	return op.code.Err()
}

// notice is the operation of an event without a response.
type notice struct {
	change
	code *protocol.ErrorCode
}

func (op notice) reply(r *group.Reply) kmsg.Response { return op.failed(errorOf(r.Error)) }

func (op notice) failed(code protocol.ErrorCode) kmsg.Response {
	*op.code = code
	return nil
}

func (op notice) whileLoading() kmsg.Response { return op.failed(protocol.CoordinatorLoadInProgress) }
