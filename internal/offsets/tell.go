package offsets

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// Ask carries a request to where it belongs: OffsetFetch to the group's coordinator, ListOffsets to the leaders of its partitions.
type Ask func(ctx context.Context, req kmsg.Request) (kmsg.Response, error)

// Tell asks for the offsets of all partitions of topics, as an [assignor.OffsetsFunc] tells them. Of partitions that have no leader
// just then, or of which the answer says nothing, it knows no start and no end. An error that is an answer wraps its
// protocol.ErrorCode.
func Tell(ctx context.Context, ask Ask, group string, topics []assignor.Topic) ([][]assignor.Offsets, error) {
	c := collection{index: make(map[string]int, len(topics)), all: make([][]assignor.Offsets, len(topics))}
	named := make([]protocol.TopicPartitions, len(topics))
	for t, topic := range topics {
		c.index[topic.Name] = t
		c.all[t] = slices.Repeat([]assignor.Offsets{{Committed: -1, Start: -1, End: -1}}, topic.Partitions)
		named[t] = protocol.TopicPartitions{Topic: topic.Name, Partitions: make([]int32, topic.Partitions)}
		for q := range topic.Partitions {
			named[t].Partitions[q] = int32(q)
		}
	}
	if len(topics) == 0 {
		return c.all, nil // to ask for none would mean all of them
	}
	fetched, err := answer[*kmsg.OffsetFetchResponse](ctx, ask, FetchRequest(group, false, named))
	if err == nil {
		err = c.takeCommitted(Fetched(fetched))
	}
	if err != nil {
		return nil, fmt.Errorf("what group %q has committed: %w", group, err)
	}
	for _, end := range []struct {
		time int64
		of   func(*assignor.Offsets) *int64
	}{
		{-2, func(o *assignor.Offsets) *int64 { return &o.Start }},
		{-1, func(o *assignor.Offsets) *int64 { return &o.End }},
	} {
		listed, err := answer[*kmsg.ListOffsetsResponse](ctx, ask, listRequest(named, end.time))
		if err == nil {
			err = c.takeListed(listed, end.of)
		}
		if err != nil {
			return nil, fmt.Errorf("where the logs begin and end: %w", err)
		}
	}
	return c.all, nil
}

// answer is one of a type.
func answer[R kmsg.Response](ctx context.Context, ask Ask, req kmsg.Request) (R, error) {
	resp, err := ask(ctx, req)
	typed, ok := resp.(R)
	if err == nil && !ok {
		err = fmt.Errorf("it answered with %T", resp)
	}
	return typed, err
}

// listRequest asks for the offsets at a time: -2 is the start, -1 the end.
func listRequest(topics []protocol.TopicPartitions, time int64) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	for _, topic := range topics {
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic = topic.Topic
		for _, q := range topic.Partitions {
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.Timestamp = q, time
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
	}
	return req
}

// collection is the offsets so far.
type collection struct {
	index map[string]int // by topic
	all   [][]assignor.Offsets
}

// of finds those of a partition; nil if nobody has asked for it.
func (c *collection) of(topic string, partition int32) *assignor.Offsets {
	t, asked := c.index[topic]
	if !asked || partition < 0 || int(partition) >= len(c.all[t]) {
		return nil
	}
	return &c.all[t][partition]
}

func (c *collection) takeCommitted(group kmsg.OffsetFetchResponseGroup) error {
	if err := protocol.ErrorCode(group.ErrorCode).Err(); err != nil {
		return err
	}
	for _, topic := range group.Topics {
		for _, p := range topic.Partitions {
			if err := protocol.ErrorCode(p.ErrorCode).Err(); err != nil {
				return fmt.Errorf("%s-%d: %w", topic.Topic, p.Partition, err)
			}
			if o := c.of(topic.Topic, p.Partition); o != nil {
				o.Committed = max(p.Offset, -1)
			}
		}
	}
	return nil
}

// takeListed takes one end. Nobody waits for the election of a leader: an offset less is better than a late plan. But where the
// leader is another one, that one knows it.
func (c *collection) takeListed(resp *kmsg.ListOffsetsResponse, end func(*assignor.Offsets) *int64) error {
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			switch code := protocol.ErrorCode(p.ErrorCode); {
			case code == protocol.None:
				if o := c.of(topic.Topic, p.Partition); o != nil {
					*end(o) = p.Offset
				}
			case code == protocol.NotLeaderOrFollower || !code.Retriable():
				return fmt.Errorf("%s-%d: %w", topic.Topic, p.Partition, code)
			}
		}
	}
	return nil
}
