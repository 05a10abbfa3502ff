package offsets

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// FetchRequest asks for what a group has committed, in the forms of all versions: v8 moved everything into a list of groups. Stable
// is to wait for transactions that are about to commit something (KIP-447).
func FetchRequest(group string, stable bool, topics []protocol.TopicPartitions) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable, req.Group = stable, group
	of := kmsg.NewOffsetFetchRequestGroup()
	of.Group = group
	for _, t := range topics {
		old, topic := kmsg.NewOffsetFetchRequestTopic(), kmsg.NewOffsetFetchRequestGroupTopic()
		old.Topic, old.Partitions = t.Topic, t.Partitions
		topic.Topic, topic.Partitions = t.Topic, t.Partitions
		req.Topics, of.Topics = append(req.Topics, old), append(of.Topics, topic)
	}
	req.Groups = append(req.Groups, of)
	return req
}

// Fetched is the answer for the one group that it is about, in the form of the latest versions.
func Fetched(resp *kmsg.OffsetFetchResponse) kmsg.OffsetFetchResponseGroup {
	if len(resp.Groups) > 0 {
		return resp.Groups[0]
	}
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
	return group
}
