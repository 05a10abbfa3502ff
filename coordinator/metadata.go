package coordinator

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// listedPartitions bounds the partitions that Metadata lists of one topic: AnyTopic has more than anyone can list.
const listedPartitions = 1_000_000

// metadata answers Metadata from Topics, so that a leader in this process learns of partitions as it would from a
// cluster. There is one broker, number 0, and it has no address.
func (c *Coordinator) metadata(req *kmsg.MetadataRequest) kmsg.Response {
	resp := kmsg.NewPtrMetadataResponse()
	resp.Version = req.Version
	broker := kmsg.NewMetadataResponseBroker()
	resp.Brokers = append(resp.Brokers, broker)
	if req.Topics == nil {
		for topic := range c.config.Topics.All() {
			resp.Topics = append(resp.Topics, topicMetadata(topic, protocol.None))
		}
		return resp
	}
	for i := range req.Topics {
		asked := &req.Topics[i]
		var topic Topic
		var code protocol.ErrorCode
		if asked.Topic == nil {
			topic, code = c.topic(true, "", asked.TopicID)
			topic.ID = asked.TopicID
		} else {
			topic, code = c.topic(false, *asked.Topic, asked.TopicID)
			topic.Name = *asked.Topic
		}
		if topic.Partitions > listedPartitions {
			code = protocol.UnknownTopicOrPartition
		}
		resp.Topics = append(resp.Topics, topicMetadata(topic, code))
	}
	return resp
}

func topicMetadata(topic Topic, code protocol.ErrorCode) kmsg.MetadataResponseTopic {
	t := kmsg.NewMetadataResponseTopic()
	t.ErrorCode, t.TopicID = int16(code), topic.ID
	if topic.Name != "" {
		t.Topic = &topic.Name
	}
	if code != protocol.None {
		return t
	}
	t.Partitions = make([]kmsg.MetadataResponseTopicPartition, topic.Partitions)
	for i := range t.Partitions {
		p := &t.Partitions[i]
		p.Default()
		p.Partition = int32(i)
		p.Replicas, p.ISR = []int32{0}, []int32{0}
	}
	return t
}
