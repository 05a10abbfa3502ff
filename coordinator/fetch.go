package coordinator

import (
	"cmp"
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// fetchOperation is an OffsetFetch of one group, in the form that requests have since version 8; older ones are turned
// into it and back.
type fetchOperation struct {
	topics  Topics
	byID    bool
	stable  bool
	group   *kmsg.OffsetFetchRequestGroup
	fetched *kmsg.OffsetFetchResponseGroup
}

func (c *Coordinator) fetch(ctx context.Context, peer Peer, req *kmsg.OffsetFetchRequest) (kmsg.Response, error) {
	groups := req.Groups
	if req.Version < 8 {
		groups = []kmsg.OffsetFetchRequestGroup{oldFetch(req)}
	}
	resp := kmsg.NewPtrOffsetFetchResponse()
	resp.Version = req.Version
	for i := range groups {
		op := fetchOperation{
			topics: c.config.Topics, byID: req.Version >= 10, stable: req.RequireStable,
			group: &groups[i], fetched: new(kmsg.NewOffsetFetchResponseGroup()),
		}
		op.fetched.Group = groups[i].Group
		if _, err := c.ask(ctx, peer, &call{groupID: groups[i].Group, op: op}); err != nil {
			return nil, err
		}
		resp.Groups = append(resp.Groups, *op.fetched)
	}
	if req.Version < 8 {
		oldFetched(req, resp)
	}
	return resp, nil
}

func (op fetchOperation) waitsForStore() bool { return op.stable } // G-274

// read gathers what is committed. Members and generations are not looked at, and a partition without an offset is not
// an error (G-266 to G-269).
func (op fetchOperation) read(g *group.Group) bool {
	if op.group.Topics == nil {
		op.readAll(g)
		return true
	}
	for i := range op.group.Topics {
		asked := &op.group.Topics[i]
		t := kmsg.NewOffsetFetchResponseGroupTopic()
		t.Topic, t.TopicID = asked.Topic, asked.TopicID
		name, code := asked.Topic, protocol.None
		if op.byID {
			topic, ok := op.topics.TopicByID(asked.TopicID)
			if name = topic.Name; !ok {
				code = protocol.UnknownTopicID
			}
		}
		for _, partition := range asked.Partitions {
			offset, ok := g.Offset(name, partition)
			code := cmp.Or(code, op.stability(g, name, partition))
			t.Partitions = append(t.Partitions, fetchedPartition(partition, offset, ok && code == protocol.None, code))
		}
		op.fetched.Topics = append(op.fetched.Topics, t)
	}
	return true
}

// readAll gathers every offset of the group; a topic that has no id is not seen by who asks for ids.
func (op fetchOperation) readAll(g *group.Group) {
	topics := &op.fetched.Topics
	g.Offsets(func(topic string, partition int32, o group.Offset) bool {
		var id [16]byte
		if op.byID {
			found, ok := op.topics.Topic(topic)
			if !ok {
				return true
			}
			id = found.ID
		}
		if last := len(*topics) - 1; last < 0 || (*topics)[last].Topic != topic {
			t := kmsg.NewOffsetFetchResponseGroupTopic()
			t.Topic, t.TopicID = topic, id
			*topics = append(*topics, t)
		}
		t := &(*topics)[len(*topics)-1]
		code := op.stability(g, topic, partition)
		t.Partitions = append(t.Partitions, fetchedPartition(partition, o, code == protocol.None, code))
		return true
	})
}

// stability makes who asks for stable offsets come again while a transaction may change one (KIP-447, G-272).
func (op fetchOperation) stability(g *group.Group, topic string, partition int32) protocol.ErrorCode {
	if op.stable && g.Unstable(topic, partition) {
		return protocol.UnstableOffsetCommit
	}
	return protocol.None
}

func fetchedPartition(partition int32, o group.Offset, ok bool, code protocol.ErrorCode) kmsg.OffsetFetchResponseGroupTopicPartition {
	p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
	p.Partition, p.ErrorCode = partition, int16(code)
	p.Offset, p.LeaderEpoch = -1, -1
	if ok {
		p.Offset, p.LeaderEpoch = o.Offset, o.LeaderEpoch
	}
	p.Metadata = new("")
	if ok {
		p.Metadata = &o.Metadata
	}
	return p
}

func (op fetchOperation) failed(code protocol.ErrorCode) kmsg.Response {
	op.fetched.ErrorCode = int16(code)
	return nil
}

func (op fetchOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}

func (op fetchOperation) reply(*group.Reply) kmsg.Response { return nil }

// oldFetch turns a request of before version 8 into one of one group. Version 1 cannot ask for all (G-263).
func oldFetch(req *kmsg.OffsetFetchRequest) kmsg.OffsetFetchRequestGroup {
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = req.Group
	if req.Topics != nil || req.Version < 2 {
		g.Topics = make([]kmsg.OffsetFetchRequestGroupTopic, len(req.Topics))
	}
	for i, t := range req.Topics {
		g.Topics[i].Topic, g.Topics[i].Partitions = t.Topic, t.Partitions
	}
	return g
}

// oldFetched turns an answer for one group into one of before version 8, which has the group's error on top or, in
// version 1, on each partition (G-277).
func oldFetched(req *kmsg.OffsetFetchRequest, resp *kmsg.OffsetFetchResponse) {
	g := resp.Groups[0]
	resp.Groups = nil
	resp.ErrorCode = g.ErrorCode
	if req.Version < 2 && g.ErrorCode != 0 {
		g.Topics = refusedTopics(req, protocol.ErrorCode(g.ErrorCode))
	}
	for _, from := range g.Topics {
		t := kmsg.NewOffsetFetchResponseTopic()
		t.Topic = from.Topic
		for _, p := range from.Partitions {
			to := kmsg.NewOffsetFetchResponseTopicPartition()
			to.Partition, to.Offset, to.LeaderEpoch = p.Partition, p.Offset, p.LeaderEpoch
			to.Metadata, to.ErrorCode = p.Metadata, p.ErrorCode
			t.Partitions = append(t.Partitions, to)
		}
		resp.Topics = append(resp.Topics, t)
	}
}

func refusedTopics(req *kmsg.OffsetFetchRequest, code protocol.ErrorCode) []kmsg.OffsetFetchResponseGroupTopic {
	var topics []kmsg.OffsetFetchResponseGroupTopic
	for _, asked := range req.Topics {
		t := kmsg.NewOffsetFetchResponseGroupTopic()
		t.Topic = asked.Topic
		for _, partition := range asked.Partitions {
			t.Partitions = append(t.Partitions, fetchedPartition(partition, group.Offset{}, false, code))
		}
		topics = append(topics, t)
	}
	return topics
}
