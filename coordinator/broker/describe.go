package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// describeTopicPartitions has kfake answer, and puts a list in the place of null where a partition has no replicas of a kind
// (KIP-966): Java's admin client does not survive null there. A cursor that is none, for which kfake hangs up, is refused.
func (c *conn) describeTopicPartitions(frame []byte, header protocol.RequestHeader, req *kmsg.DescribeTopicPartitionsRequest) ([]byte, error) {
	if !isCursor(req) {
		resp := req.ResponseKind().(*kmsg.DescribeTopicPartitionsResponse)
		for _, topic := range req.Topics {
			t := kmsg.NewDescribeTopicPartitionsResponseTopic()
			t.Topic, t.ErrorCode = &topic.Topic, int16(protocol.InvalidRequest)
			resp.Topics = append(resp.Topics, t)
		}
		return c.respond(header, resp), nil
	}
	return amend(c, frame, header, req, func(resp *kmsg.DescribeTopicPartitionsResponse) {
		for _, topic := range resp.Topics {
			for i := range topic.Partitions {
				p := &topic.Partitions[i]
				p.EligibleLeaderReplicas, p.LastKnownELR = []int32{}, []int32{}
			}
		}
	})
}

// rack is ours, in the place of kfake's, which it always tells; nil if we have none.
func (b *Broker) rack() *string {
	if b.config.Rack == "" {
		return nil
	}
	return &b.config.Rack
}

// isCursor tells whether the request has a cursor that it may have: one of the topics that it lists, if it lists any.
func isCursor(req *kmsg.DescribeTopicPartitionsRequest) bool {
	cursor := req.Cursor
	if cursor == nil {
		return true
	}
	listed := func(t kmsg.DescribeTopicPartitionsRequestTopic) bool { return t.Topic == cursor.Topic }
	return cursor.Partition >= 0 && (len(req.Topics) == 0 || slices.ContainsFunc(req.Topics, listed))
}
