package coordinator

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// deleteOffsetsOperation is an OffsetDelete. Its event has the partitions that exist, as a commit's has.
type deleteOffsetsOperation struct {
	change
	req     *kmsg.OffsetDeleteRequest
	refused [][]protocol.ErrorCode // by topic and partition of the request; None: it is in the event

	someRefused bool
}

func (c *Coordinator) deleteOffsets(ctx context.Context, peer Peer, req *kmsg.OffsetDeleteRequest) (kmsg.Response, error) {
	op := deleteOffsetsOperation{req: req, refused: make([][]protocol.ErrorCode, len(req.Topics))}
	if req.Group == "" {
		return op.failed(protocol.InvalidGroupID), nil // G-199
	}
	ev := group.Event{Kind: group.DeleteOffsets}
	for i := range req.Topics {
		t := &req.Topics[i]
		topic, code := c.topic(false, t.Topic, [16]byte{})
		op.refused[i] = make([]protocol.ErrorCode, len(t.Partitions))
		for j, p := range t.Partitions {
			if code != protocol.None || p.Partition < 0 || p.Partition >= topic.Partitions {
				op.refused[i][j], op.someRefused = protocol.UnknownTopicOrPartition, true // G-198
				continue
			}
			ev.Partitions = append(ev.Partitions, group.TopicPartition{Topic: topic.Name, Partition: p.Partition})
		}
	}
	// With nothing left to delete the group is asked all the same, for its error (G-206).
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: ev})
}

func (op deleteOffsetsOperation) reply(r *group.Reply) kmsg.Response {
	resp := kmsg.NewPtrOffsetDeleteResponse()
	resp.Version = op.req.Version
	resp.ErrorCode = int16(r.Error)
	if r.Error != group.None {
		return resp // without the partitions (G-206)
	}
	asked := 0
	position := make(map[string]int, len(op.req.Topics))
	for i := range op.req.Topics {
		t := op.answered(resp, op.req.Topics[i].Topic, position)
		for j := range op.req.Topics[i].Partitions {
			p := kmsg.NewOffsetDeleteResponseTopicPartition()
			p.Partition = op.req.Topics[i].Partitions[j].Partition
			code := op.refused[i][j]
			if code == protocol.None {
				code = errorOf(r.Errors[asked])
				asked++
			}
			p.ErrorCode = int16(code)
			t.Partitions = append(t.Partitions, p)
		}
	}
	return resp
}

// answered returns the response's entry of a topic. Where a partition does not exist there is one, also if the request
// has several; otherwise there are as many as the request has (G-206).
func (op deleteOffsetsOperation) answered(
	resp *kmsg.OffsetDeleteResponse, topic string, position map[string]int,
) *kmsg.OffsetDeleteResponseTopic {
	at, ok := position[topic]
	if !ok || !op.someRefused {
		at = len(resp.Topics)
		position[topic] = at
		t := kmsg.NewOffsetDeleteResponseTopic()
		t.Topic = topic
		resp.Topics = append(resp.Topics, t)
	}
	return &resp.Topics[at]
}

func (op deleteOffsetsOperation) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code)})
}

func (op deleteOffsetsOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}
