package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// describeTopicPartitions has kfake answer, and puts a list in the place of null where a partition has no replicas of a kind
// (KIP-966): Java's admin client does not survive null there. A cursor that is none, for which kfake hangs up, is refused.
func (c *conn) describeTopicPartitions(frame []byte, header protocol.RequestHeader, req *kmsg.DescribeTopicPartitionsRequest) ([]byte, error) {
	resp := req.ResponseKind().(*kmsg.DescribeTopicPartitionsResponse)
	if !isCursor(req) {
		for _, topic := range req.Topics {
			t := kmsg.NewDescribeTopicPartitionsResponseTopic()
			t.Topic, t.ErrorCode = &topic.Topic, int16(protocol.InvalidRequest)
			resp.Topics = append(resp.Topics, t)
		}
		return c.respond(header, resp), nil
	}
	answer, err := c.exchange(frame, true)
	if err != nil {
		return nil, err
	}
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	for _, topic := range resp.Topics {
		for i := range topic.Partitions {
			p := &topic.Partitions[i]
			p.EligibleLeaderReplicas, p.LastKnownELR = []int32{}, []int32{}
		}
	}
	return c.respond(header, resp), nil
}

// tellRack has kfake answer, and puts our rack in the place of kfake's, which it always tells.
func (c *conn) tellRack(frame []byte, header protocol.RequestHeader, req kmsg.Request) ([]byte, error) {
	answer, err := c.exchange(frame, true)
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind()
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	var rack *string
	if c.broker.config.Rack != "" {
		rack = &c.broker.config.Rack
	}
	switch resp := resp.(type) {
	case *kmsg.MetadataResponse:
		for i := range resp.Brokers {
			resp.Brokers[i].Rack = rack
		}
	case *kmsg.DescribeClusterResponse:
		for i := range resp.Brokers {
			resp.Brokers[i].Rack = rack
		}
	}
	return c.respond(header, resp), nil
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
