package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// How many offsets a laden coordinator keeps for the group of a crowd, and for each of many groups.
const (
	crowdOffsets = 10_000
	groupOffsets = 10
)

// ladenInProcess starts a coordinator that has, before any member comes, as much as it can have to keep beside members:
// every group that the benchmark will use has committed offsets, and an open transaction that holds a new one for each.
func ladenInProcess(groups int) func(context.Context) (*running, error) {
	return func(ctx context.Context) (*running, error) {
		c, err := coordinator.New(ctx, noDelay)
		if err != nil {
			return nil, err
		}
		if err := load(ctx, c, crowdGroup, crowdOffsets); err != nil {
			return nil, err
		}
		for n := range groups {
			if err := load(ctx, c, seatGroup(n), groupOffsets); err != nil {
				return nil, err
			}
		}
		return &running{c, c.Close}, nil
	}
}

// load commits that many offsets of a group, and as many in a transaction that stays open.
func load(ctx context.Context, c *coordinator.Coordinator, group string, offsets int) error {
	topic := kmsg.OffsetCommitRequestTopic{Topic: "topic"}
	pending := kmsg.TxnOffsetCommitRequestTopic{Topic: "topic"}
	for p := range int32(offsets) {
		topic.Partitions = append(topic.Partitions, kmsg.OffsetCommitRequestTopicPartition{Partition: p, Offset: 1})
		pending.Partitions = append(pending.Partitions, kmsg.TxnOffsetCommitRequestTopicPartition{Partition: p, Offset: 2})
	}
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Version, commit.Group, commit.Topics = 9, group, []kmsg.OffsetCommitRequestTopic{topic}
	resp, err := c.Handle(ctx, coordinator.Peer{}, commit)
	if err != nil {
		return err
	}
	committed := resp.(*kmsg.OffsetCommitResponse).Topics[0].Partitions
	hold := kmsg.NewPtrTxnOffsetCommitRequest()
	hold.Version, hold.Group, hold.TransactionalID, hold.ProducerID = 3, group, group, 1
	hold.Topics = []kmsg.TxnOffsetCommitRequestTopic{pending}
	if resp, err = c.Handle(ctx, coordinator.Peer{}, hold); err != nil {
		return err
	}
	held := resp.(*kmsg.TxnOffsetCommitResponse).Topics[0].Partitions
	for p := range offsets {
		for _, code := range []int16{committed[p].ErrorCode, held[p].ErrorCode} {
			if err := protocol.ErrorCode(code); err != protocol.None {
				return fmt.Errorf("offset %d of group %s: %w", p, group, err)
			}
		}
	}
	return nil
}
