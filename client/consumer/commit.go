package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// Offset is a committed position: the offset of the next record to consume.
type Offset struct {
	At          int64
	LeaderEpoch int32  // of the last record consumed (KIP-320); 0 means unknown
	Metadata    string // for people; bounded by the broker's offset.metadata.max.bytes
}

// noEpoch is an unknown leader epoch on the wire.
const noEpoch = -1

var (
	// ErrRebalanceInProgress is a commit that came in the middle of a rebalance: nothing is committed. Commit again
	// when assigned, if the partitions are still the consumer's.
	ErrRebalanceInProgress = errors.New("a rebalance is in progress: commit again once the consumer is assigned")

	// ErrCommitFailed is a commit of a consumer that is not in the group, or not in the generation that it thought:
	// nothing is committed. Unless it has kept the partitions, they have other owners, who start from what was committed before.
	ErrCommitFailed = errors.New("the consumer's generation has ended: its partitions may have been given to others, " +
		"who will consume again what was not committed")
)

// Commit stores offsets for the group, in the consumer's generation: the coordinator refuses them when it has ended
// ([ErrCommitFailed], [ErrRebalanceInProgress]). It also works in OnRevoked, for the last time. Errors that pass are
// retried until ctx ends (G-518). No offsets at all is success (G-517). Any other error wraps the coordinator's
// protocol.ErrorCode.
func (c *Consumer) Commit(ctx context.Context, offsets map[TopicPartition]Offset) error {
	if len(offsets) == 0 {
		return nil
	}
	state, g := c.member.Standing()
	err := validOffsets(offsets)
	if err == nil {
		err = committable(state)
	}
	if err == nil {
		err = c.retry(ctx, func() error { return c.commit(ctx, g, offsets) })
	}
	if err != nil {
		return fmt.Errorf("commit offsets of group %q: %w", c.cfg.Member.Group, err)
	}
	return nil
}

// validOffsets refuses what cannot be an offset (G-516).
func validOffsets(offsets map[TopicPartition]Offset) error {
	var wrong []error
	for _, p := range slices.SortedFunc(maps.Keys(offsets), comparePartitions) {
		if at := offsets[p].At; at < 0 {
			wrong = append(wrong, fmt.Errorf("offset of %v is %d: use the offset of the next record, 0 at least", p, at))
		}
	}
	return errors.Join(wrong...)
}

// committable says whether a member in that state has a generation to commit in (G-515).
func committable(state client.State) error {
	switch state {
	case client.Stable:
		return nil
	case client.Unjoined:
		return ErrCommitFailed
	default:
		return ErrRebalanceInProgress
	}
}

// commit is one attempt in generation g. It is not repeated in another one: who retries for long must not commit over
// the next owner.
func (c *Consumer) commit(ctx context.Context, g client.Generation, offsets map[TopicPartition]Offset) error {
	if state, now := c.member.Standing(); now != g {
		return ended(state)
	}
	resp, err := c.member.Request(ctx, c.commitRequest(g, offsets))
	if err != nil {
		return again(err)
	}
	committed, ok := resp.(*kmsg.OffsetCommitResponse)
	if !ok {
		return fmt.Errorf("the session answered with %T", resp)
	}
	var unauthorized []string
	for _, topic := range committed.Topics {
		for _, p := range topic.Partitions {
			code := protocol.ErrorCode(p.ErrorCode)
			if code == protocol.TopicAuthorizationFailed {
				unauthorized = append(unauthorized, topic.Topic)
				continue
			}
			if err := c.commitRefused(g, TopicPartition{topic.Topic, p.Partition}, code); err != nil {
				return err
			}
		}
	}
	return unauthorizedTopics(unauthorized)
}

func (c *Consumer) commitRequest(g client.Generation, offsets map[TopicPartition]Offset) *kmsg.OffsetCommitRequest {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = c.cfg.Member.Group, g.ID, g.MemberID
	if id := c.cfg.Member.InstanceID; id != "" {
		req.InstanceID = kmsg.StringPtr(id)
	}
	var topic *kmsg.OffsetCommitRequestTopic
	for _, p := range slices.SortedFunc(maps.Keys(offsets), comparePartitions) {
		if topic == nil || topic.Topic != p.Topic {
			req.Topics = append(req.Topics, kmsg.NewOffsetCommitRequestTopic())
			topic = &req.Topics[len(req.Topics)-1]
			topic.Topic = p.Topic
		}
		o := offsets[p]
		partition := kmsg.NewOffsetCommitRequestTopicPartition()
		partition.Partition, partition.Offset, partition.LeaderEpoch = p.Partition, o.At, noEpoch
		if o.LeaderEpoch > 0 {
			partition.LeaderEpoch = o.LeaderEpoch
		}
		partition.Metadata = kmsg.StringPtr(o.Metadata)
		topic.Partitions = append(topic.Partitions, partition)
	}
	return req
}

// commitRefused applies the table of G-470 to the code of one partition.
func (c *Consumer) commitRefused(g client.Generation, p TopicPartition, code protocol.ErrorCode) error {
	switch code {
	case protocol.None:
		return nil
	case protocol.CoordinatorLoadInProgress, protocol.UnknownTopicOrPartition, protocol.CoordinatorNotAvailable,
		protocol.NotCoordinator, protocol.RequestTimedOut:
		return transient{fmt.Errorf("%v: %w", p, code)}
	case protocol.RebalanceInProgress:
		c.member.Refused("OFFSET_COMMIT", g, code)
		return fmt.Errorf("%w (%w)", ErrRebalanceInProgress, code)
	case protocol.FencedInstanceID:
		if c.member.Refused("OFFSET_COMMIT", g, code) {
			return fmt.Errorf("InstanceID is %q: %w", c.cfg.Member.InstanceID, code)
		}
		state, _ := c.member.Standing()
		return fmt.Errorf("%w (%w)", ended(state), code)
	case protocol.UnknownMemberID, protocol.IllegalGeneration:
		if c.member.Refused("OFFSET_COMMIT", g, code) {
			return fmt.Errorf("%w (%w)", ErrCommitFailed, code)
		}
		state, _ := c.member.Standing()
		return fmt.Errorf("%w (%w)", ended(state), code)
	}
	return fmt.Errorf("%v: %w", p, code)
}

// ended is the error of a commit whose generation is not the member's any more.
func ended(state client.State) error {
	if state == client.PreparingRebalance {
		return ErrRebalanceInProgress
	}
	return ErrCommitFailed
}

// unauthorizedTopics is the error of all topics that the user may not commit or read; nil if there is none.
func unauthorizedTopics(topics []string) error {
	if len(topics) == 0 {
		return nil
	}
	slices.Sort(topics)
	return fmt.Errorf("topics %s: %w", strings.Join(slices.Compact(topics), ", "), protocol.TopicAuthorizationFailed)
}
