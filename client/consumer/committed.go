package consumer

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// Committed returns what the group has committed for partitions; those without a committed offset are not in the
// answer. It waits for transactions that are about to commit some (KIP-447, G-472), and retries errors that pass, until
// ctx ends. The consumer need not have joined.
func (c *Consumer) Committed(ctx context.Context, partitions ...TopicPartition) (map[TopicPartition]Offset, error) {
	return c.committed(ctx, true, partitions)
}

// committed may leave transactions that are about to commit out of account, instead of waiting for them.
func (c *Consumer) committed(ctx context.Context, stable bool, partitions []TopicPartition) (map[TopicPartition]Offset, error) {
	offsets := make(map[TopicPartition]Offset, len(partitions))
	if len(partitions) == 0 {
		return offsets, nil // to ask for none would mean all of them
	}
	err := c.retry(ctx, func() error {
		clear(offsets)
		resp, err := c.member.Request(ctx, c.fetchRequest(stable, partitions))
		if err != nil {
			return again(err)
		}
		fetched, ok := resp.(*kmsg.OffsetFetchResponse)
		if !ok {
			return fmt.Errorf("the session answered with %T", resp)
		}
		return readOffsets(fetched, offsets)
	})
	if err != nil {
		return nil, fmt.Errorf("fetch committed offsets of group %q: %w", c.cfg.Member.Group, err)
	}
	return offsets, nil
}

// fetchRequest asks in the forms of all versions: v8 moved everything into a list of groups.
func (c *Consumer) fetchRequest(stable bool, partitions []TopicPartition) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = stable
	req.Group = c.cfg.Member.Group
	group := kmsg.NewOffsetFetchRequestGroup()
	group.Group = req.Group
	topics, of := byTopic(partitions)
	for _, name := range topics {
		old, topic := kmsg.NewOffsetFetchRequestTopic(), kmsg.NewOffsetFetchRequestGroupTopic()
		old.Topic, old.Partitions = name, of[name]
		topic.Topic, topic.Partitions = name, of[name]
		req.Topics, group.Topics = append(req.Topics, old), append(group.Topics, topic)
	}
	req.Groups = append(req.Groups, group)
	return req
}

// readOffsets applies the table of G-471.
func readOffsets(resp *kmsg.OffsetFetchResponse, offsets map[TopicPartition]Offset) error {
	group := kmsg.NewOffsetFetchResponseGroup()
	group.ErrorCode = resp.ErrorCode
	for _, topic := range resp.Topics {
		t := kmsg.NewOffsetFetchResponseGroupTopic()
		t.Topic = topic.Topic
		for _, p := range topic.Partitions {
			t.Partitions = append(t.Partitions, kmsg.OffsetFetchResponseGroupTopicPartition(p))
		}
		group.Topics = append(group.Topics, t)
	}
	if len(resp.Groups) > 0 {
		group = resp.Groups[0]
	}
	if code := protocol.ErrorCode(group.ErrorCode); code != protocol.None {
		if code.Retriable() {
			return transient{code}
		}
		return code
	}
	var unauthorized []string
	for _, topic := range group.Topics {
		for _, p := range topic.Partitions {
			at := TopicPartition{topic.Topic, p.Partition}
			switch code := protocol.ErrorCode(p.ErrorCode); code {
			case protocol.None:
				if p.Offset >= 0 {
					o := Offset{At: p.Offset, LeaderEpoch: max(0, p.LeaderEpoch)}
					if p.Metadata != nil {
						o.Metadata = *p.Metadata
					}
					offsets[at] = o
				}
			case protocol.TopicAuthorizationFailed:
				unauthorized = append(unauthorized, topic.Topic)
			case protocol.UnstableOffsetCommit, protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress:
				return transient{fmt.Errorf("%v: %w", at, code)} // the last three stand here in v1
			default:
				return fmt.Errorf("%v: %w", at, code)
			}
		}
	}
	return unauthorizedTopics(unauthorized)
}
