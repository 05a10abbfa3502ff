package coordinator

import (
	"context"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// commitOperation is an OffsetCommit. Its event has the partitions that exist; the others are answered here (G-236).
type commitOperation struct {
	change
	req     *kmsg.OffsetCommitRequest
	refused [][]protocol.ErrorCode // by topic and partition of the request; None: it is in the event

	someRefused bool
}

func (c *Coordinator) commit(ctx context.Context, peer Peer, req *kmsg.OffsetCommitRequest) (kmsg.Response, error) {
	op, ev := c.commitEvent(req)
	if len(ev.Offsets) == 0 {
		return op.reply(&group.Reply{}), nil // nobody is asked, and no session refreshed (G-237)
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: ev})
}

func (c *Coordinator) commitEvent(req *kmsg.OffsetCommitRequest) (commitOperation, group.Event) {
	op := commitOperation{req: req, refused: make([][]protocol.ErrorCode, len(req.Topics))}
	ev := group.Event{Kind: group.Commit, MemberID: req.MemberID, InstanceID: req.InstanceID, Generation: req.Generation}
	retention := int64(-1)
	if req.Version <= 4 {
		retention = req.RetentionTimeMillis // G-252
	}
	for i := range req.Topics {
		t := &req.Topics[i]
		topic, code := c.topic(req.Version >= 10, t.Topic, t.TopicID)
		topic.Name = strings.Clone(topic.Name) // the group must not keep the whole request
		op.refused[i] = make([]protocol.ErrorCode, len(t.Partitions))
		for j := range t.Partitions {
			p := &t.Partitions[j]
			switch {
			case code != protocol.None:
				op.refused[i][j], op.someRefused = code, true
			case p.Partition < 0 || p.Partition >= topic.Partitions:
				op.refused[i][j], op.someRefused = protocol.UnknownTopicOrPartition, true
			default:
				ev.Offsets = append(ev.Offsets, offsetCommit(req.Version, topic.Name, p, retention))
			}
		}
	}
	return op, ev
}

// topic finds the topic that a request names, by name or, since version 10 of the offset APIs, by id (G-622).
func (c *Coordinator) topic(byID bool, name string, id [16]byte) (Topic, protocol.ErrorCode) {
	if byID {
		topic, ok := c.config.Topics.TopicByID(id)
		if !ok {
			return Topic{}, protocol.UnknownTopicID
		}
		return topic, protocol.None
	}
	topic, ok := c.config.Topics.Topic(name)
	if !ok {
		return Topic{}, protocol.UnknownTopicOrPartition
	}
	return topic, protocol.None
}

func offsetCommit(version int16, topic string, p *kmsg.OffsetCommitRequestTopicPartition, retention int64) group.OffsetCommit {
	commit := group.OffsetCommit{
		Topic: topic, Partition: p.Partition, Offset: p.Offset, LeaderEpoch: -1, Retention: retention,
	}
	if version >= 6 {
		commit.LeaderEpoch = p.LeaderEpoch // G-253
	}
	if p.Metadata != nil {
		commit.Metadata = strings.Clone(*p.Metadata) // null is stored as empty (G-250)
	}
	return commit
}

func (op commitOperation) reply(r *group.Reply) kmsg.Response {
	resp := kmsg.NewPtrOffsetCommitResponse()
	resp.Version = op.req.Version
	code := errorOf(r.Error)
	if code == protocol.GroupIDNotFound && op.req.Version < 9 {
		code = protocol.IllegalGeneration // G-241
	}
	asked := 0
	position := make(map[answeredTopic]int, len(op.req.Topics))
	for i := range op.req.Topics {
		t := op.answered(resp, &op.req.Topics[i], position)
		for j := range op.req.Topics[i].Partitions {
			p := kmsg.NewOffsetCommitResponseTopicPartition()
			p.Partition = op.req.Topics[i].Partitions[j].Partition
			switch refused := op.refused[i][j]; {
			case refused != protocol.None:
				p.ErrorCode = int16(refused)
			case r.Errors != nil:
				p.ErrorCode = int16(r.Errors[asked])
				asked++
			default:
				p.ErrorCode = int16(code) // there is no error of the whole answer (G-240)
			}
			t.Partitions = append(t.Partitions, p)
		}
	}
	return resp
}

// answeredTopic names a topic of the response: by name, or by id where there are no names.
type answeredTopic struct {
	name string
	id   [16]byte
}

// answered returns the response's entry of a topic. Where a partition was refused here there is one, also if the request
// has several; otherwise there are as many as the request has (G-260).
func (op commitOperation) answered(
	resp *kmsg.OffsetCommitResponse, asked *kmsg.OffsetCommitRequestTopic, position map[answeredTopic]int,
) *kmsg.OffsetCommitResponseTopic {
	key := answeredTopic{asked.Topic, asked.TopicID}
	at, ok := position[key]
	if !ok || !op.someRefused {
		at = len(resp.Topics)
		position[key] = at
		t := kmsg.NewOffsetCommitResponseTopic()
		t.Topic, t.TopicID = asked.Topic, asked.TopicID
		resp.Topics = append(resp.Topics, t)
	}
	return &resp.Topics[at]
}

func (op commitOperation) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code)})
}

func (op commitOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}
