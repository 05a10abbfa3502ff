package consumer

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/offsets"
	"github.com/joinsync/joinsync/protocol"
)

// Committed returns what the group has committed for partitions; those without a committed offset are not in the
// answer. It waits for transactions that are about to commit some (KIP-447, G-472), and retries errors that pass, until
// ctx ends. The consumer need not have joined.
func (c *Consumer) Committed(ctx context.Context, partitions ...TopicPartition) (map[TopicPartition]Offset, error) {
	committed := make(map[TopicPartition]Offset, len(partitions))
	if len(partitions) == 0 {
		return committed, nil // to ask for none would mean all of them
	}
	err := c.retry(ctx, func() error {
		clear(committed)
		resp, err := c.member.Request(ctx, c.fetchRequest(partitions))
		if err != nil {
			return again(err)
		}
		fetched, ok := resp.(*kmsg.OffsetFetchResponse)
		if !ok {
			return fmt.Errorf("the session answered with %T", resp)
		}
		return readOffsets(fetched, committed)
	})
	if err != nil {
		return nil, fmt.Errorf("fetch committed offsets of group %q: %w", c.cfg.Member.Group, err)
	}
	return committed, nil
}

// fetchRequest asks for what is committed, transactions in flight awaited.
func (c *Consumer) fetchRequest(partitions []TopicPartition) *kmsg.OffsetFetchRequest {
	names, of := byTopic(partitions)
	topics := make([]protocol.TopicPartitions, len(names))
	for i, name := range names {
		topics[i] = protocol.TopicPartitions{Topic: name, Partitions: of[name]}
	}
	return offsets.FetchRequest(c.cfg.Member.Group, true, topics)
}

// readOffsets applies the table of G-471.
func readOffsets(resp *kmsg.OffsetFetchResponse, committed map[TopicPartition]Offset) error {
	group := offsets.Fetched(resp)
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
					committed[at] = o
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
