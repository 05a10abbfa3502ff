package kgotransport

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// askLeaders sends a ListOffsets to the leaders of its partitions, and makes one answer of theirs. kgo knows the leaders, and may look
// for them again where they have moved: of all requests, it retries this one. Partitions that it finds no leader of get the
// error code that it gives as the reason.
func (s *session) askLeaders(ctx context.Context, req *kmsg.ListOffsetsRequest) (kmsg.Response, error) {
	resp := kmsg.NewPtrListOffsetsResponse()
	for _, shard := range s.cl.RequestSharded(ctx, req) {
		var code *kerr.Error
		switch {
		case shard.Err == nil:
			s.reached.Store(true)
			resp.Topics = append(resp.Topics, shard.Resp.(*kmsg.ListOffsetsResponse).Topics...)
		case errors.As(shard.Err, &code):
			resp.Topics = append(resp.Topics, refused(shard.Req.(*kmsg.ListOffsetsRequest), protocol.ErrorCode(code.Code))...)
		default:
			return nil, s.explain("leaders of partitions, by "+s.bootstrap, shard.Err)
		}
	}
	return resp, nil
}

// refused answers every partition of a request with an error code.
func refused(req *kmsg.ListOffsetsRequest, code protocol.ErrorCode) []kmsg.ListOffsetsResponseTopic {
	topics := make([]kmsg.ListOffsetsResponseTopic, len(req.Topics))
	for i, asked := range req.Topics {
		topics[i] = kmsg.NewListOffsetsResponseTopic()
		topics[i].Topic = asked.Topic
		for _, p := range asked.Partitions {
			answer := kmsg.NewListOffsetsResponseTopicPartition()
			answer.Partition, answer.ErrorCode = p.Partition, int16(code)
			topics[i].Partitions = append(topics[i].Partitions, answer)
		}
	}
	return topics
}
