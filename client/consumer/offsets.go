package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// Times that ListOffsets takes for the ends of a log.
const (
	atEnd   = -1
	atStart = -2
)

// offsets tells an assignor the group's offsets. It takes no longer than a request may, and at most half of the time that the
// leader has, so that another assignor can still make a plan.
func (c *Consumer) offsets(ctx context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
	if c.cfg.Offsets != nil {
		return c.cfg.Offsets(ctx, topics)
	}
	patience := min(c.cfg.Member.RequestTimeout, c.cfg.Member.RebalanceTimeout/2)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	all, where := make([][]assignor.Offsets, len(topics)), make(map[string]int, len(topics))
	var partitions []TopicPartition
	for t, topic := range topics {
		all[t] = slices.Repeat([]assignor.Offsets{{Committed: -1, Start: -1, End: -1}}, topic.Partitions)
		where[topic.Name] = t
		for q := range topic.Partitions {
			partitions = append(partitions, TopicPartition{topic.Name, int32(q)})
		}
	}
	committed, err := c.committed(ctx, false, partitions)
	if err != nil {
		return nil, err
	}
	for p, offset := range committed {
		if o := find(all, where, p); o != nil {
			o.Committed = offset.At
		}
	}
	for _, end := range []struct {
		time int64
		take func(o *assignor.Offsets, at int64)
	}{
		{atStart, func(o *assignor.Offsets, at int64) { o.Start = at }},
		{atEnd, func(o *assignor.Offsets, at int64) { o.End = at }},
	} {
		if err := c.listOffsets(ctx, topics, end.time, func(p TopicPartition, at int64) {
			if o := find(all, where, p); o != nil {
				end.take(o, at)
			}
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// find finds the offsets of a partition; nil if nobody has asked for it.
func find(all [][]assignor.Offsets, where map[string]int, p TopicPartition) *assignor.Offsets {
	t, asked := where[p.Topic]
	if !asked || p.Partition < 0 || int(p.Partition) >= len(all[t]) {
		return nil
	}
	return &all[t][p.Partition]
}

// listOffsets asks the leaders of all partitions for the offset at a time. It passes over partitions that have no leader now.
func (c *Consumer) listOffsets(ctx context.Context, topics []assignor.Topic, at int64, take func(TopicPartition, int64)) error {
	return c.retry(ctx, func() error {
		resp, err := c.member.Request(ctx, listRequest(topics, at))
		var version *protocol.VersionError
		switch {
		case errors.As(err, &version) && version.Theirs == nil:
			return fmt.Errorf("%w: the coordinator keeps no log: give Config.Offsets, or use an assignor that does without (FallBack)", assignor.ErrNoOffsets)
		case err != nil:
			return again(err)
		}
		listed, ok := resp.(*kmsg.ListOffsetsResponse)
		if !ok {
			return fmt.Errorf("the session answered with %T", resp)
		}
		return readListed(listed, take)
	})
}

func listRequest(topics []assignor.Topic, at int64) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	for _, topic := range topics {
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic = topic.Name
		for q := range topic.Partitions {
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.Timestamp = int32(q), at
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
	}
	return req
}

// readListed reads the answer. Nobody waits for the election of a leader: an offset less is better than a late plan.
func readListed(resp *kmsg.ListOffsetsResponse, take func(TopicPartition, int64)) error {
	var unauthorized []string
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			at := TopicPartition{topic.Topic, p.Partition}
			switch code := protocol.ErrorCode(p.ErrorCode); {
			case code == protocol.None:
				take(at, p.Offset)
			case code == protocol.TopicAuthorizationFailed:
				unauthorized = append(unauthorized, topic.Topic)
			case code == protocol.NotLeaderOrFollower:
				return transient{fmt.Errorf("%v: %w", at, code)} // there is another one
			case !code.Retriable():
				return fmt.Errorf("%v: %w", at, code)
			}
		}
	}
	return unauthorizedTopics(unauthorized)
}
