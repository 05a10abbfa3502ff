package broker

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// changeTopics passes on a request that changes topics, and brings the table up to date before the client has its
// answer. kfake takes any name and any number of partitions for granted; what Kafka would refuse, and what there is no
// memory for, must not reach it: split takes that out of the request, while nobody else changes topics, and returns the
// names of the topics that are left, and how to add the answers for the others, nil if there are none.
func (c *conn) changeTopics(frame []byte, header protocol.RequestHeader, req kmsg.Request,
	split func(*topicTable) (names []string, add func(kmsg.Response))) ([]byte, error) {
	table := c.broker.topics
	release, err := table.take(c.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	names, add := split(table)
	if add != nil {
		formatter := kmsg.NewRequestFormatter(kmsg.FormatterClientID(header.ClientID))
		frame = formatter.AppendRequest(nil, req, header.CorrelationID)[4:]
	}
	// The client may go away meanwhile. What becomes of its topics must be known all the same.
	answer, err := c.broker.plane.once(c.broker.planeCtx, frame)
	for _, name := range table.refresh(names...) {
		c.forgetOffsets(name)
	}
	if err != nil || add == nil {
		return answer, err
	}
	resp := req.ResponseKind()
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	add(resp)
	return protocol.AppendResponse(nil, header.CorrelationID, resp), nil
}

// forgetOffsets takes a topic that was deleted out of every group (G-321), even if whoever deleted it has left meanwhile:
// a topic of the same name, made later, must not begin with its offsets.
func (c *conn) forgetOffsets(topic string) {
	if err := c.broker.coordinator.TopicDeleted(context.WithoutCancel(c.ctx), topic); err != nil {
		c.log().Warn("the offsets of a deleted topic could not be deleted", zap.String("topic", topic), zap.Error(err))
	}
}

// splitCreate keeps the topics that may be made.
func splitCreate(req *kmsg.CreateTopicsRequest) func(*topicTable) ([]string, func(kmsg.Response)) {
	return func(table *topicTable) (names []string, add func(kmsg.Response)) {
		var refused []kmsg.CreateTopicsResponseTopic
		asked, more := req.Topics, 0
		req.Topics = nil
		for _, topic := range asked {
			partitions := int(topic.NumPartitions)
			if partitions < 0 {
				partitions = max(int(table.byDefault), len(topic.ReplicaAssignment))
			}
			if code := table.refusal(topic.Topic, more+partitions); code != protocol.None {
				t := kmsg.NewCreateTopicsResponseTopic()
				t.Topic, t.ErrorCode, t.ErrorMessage = topic.Topic, int16(code), new(code.Error())
				refused = append(refused, t)
				continue
			}
			more += partitions
			names = append(names, topic.Topic)
			req.Topics = append(req.Topics, topic)
		}
		return names, func(resp kmsg.Response) {
			r := resp.(*kmsg.CreateTopicsResponse)
			r.Topics = append(r.Topics, refused...)
			nameSources(r)
		}
	}
}

// nameSources tells of each setting of a topic that it is the topic's own. kfake tells no source, and no list where there
// are no settings: Java's admin client takes neither, and with it a worker of Connect, which makes its own topics, dies.
func nameSources(resp *kmsg.CreateTopicsResponse) {
	for i := range resp.Topics {
		topic := &resp.Topics[i]
		if topic.Configs == nil {
			topic.Configs = []kmsg.CreateTopicsResponseTopicConfig{}
		}
		for j := range topic.Configs {
			topic.Configs[j].Source = int8(kmsg.ConfigSourceDynamicTopicConfig)
		}
	}
}

// splitGrow keeps the topics that may have the partitions that are asked for.
func splitGrow(req *kmsg.CreatePartitionsRequest) func(*topicTable) ([]string, func(kmsg.Response)) {
	return func(table *topicTable) (names []string, add func(kmsg.Response)) {
		var refused []kmsg.CreatePartitionsResponseTopic
		asked, more := req.Topics, 0
		req.Topics = nil
		for _, topic := range asked {
			known, _ := table.Topic(topic.Topic)
			added := max(int(topic.Count)-int(known.Partitions), 0)
			if more+added > table.room() {
				t := kmsg.NewCreatePartitionsResponseTopic()
				t.Topic, t.ErrorCode, t.ErrorMessage = topic.Topic, int16(invalidPartitions), new(invalidPartitions.Error())
				refused = append(refused, t)
				continue
			}
			more += added
			names = append(names, topic.Topic)
			req.Topics = append(req.Topics, topic)
		}
		if refused == nil {
			return names, nil
		}
		return names, func(resp kmsg.Response) {
			r := resp.(*kmsg.CreatePartitionsResponse)
			r.Topics = append(r.Topics, refused...)
		}
	}
}

// deleted returns the names of the topics that a request deletes.
func deleted(req *kmsg.DeleteTopicsRequest) func(*topicTable) ([]string, func(kmsg.Response)) {
	return func(table *topicTable) ([]string, func(kmsg.Response)) {
		names := req.TopicNames
		for _, topic := range req.Topics {
			if topic.Topic != nil {
				names = append(names, *topic.Topic)
			} else if known, ok := table.TopicByID(topic.TopicID); ok {
				names = append(names, known.Name)
			}
		}
		return names, nil
	}
}

// createNamed makes the topics that a Metadata request names and that there are not, unless that is switched off
// (auto.create.topics.enable). What cannot be made is answered by kfake: there is no such topic.
func (c *conn) createNamed(req *kmsg.MetadataRequest) error {
	if c.broker.config.NoAutoCreate || req.Version >= 4 && !req.AllowAutoTopicCreation {
		return nil
	}
	table := c.broker.topics
	var missing []string
	for _, topic := range req.Topics {
		if topic.Topic == nil || topic.TopicID != [16]byte{} || internalTopics[*topic.Topic] {
			continue
		}
		if _, ok := table.Topic(*topic.Topic); !ok {
			missing = append(missing, *topic.Topic)
		}
	}
	if missing == nil {
		return nil
	}
	release, err := table.take(c.ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, name := range missing {
		if err := table.create(name, 0); err != nil {
			c.log().Debug("a topic was not made", zap.Error(err))
		}
	}
	return nil
}

// internalTopics are those in which Kafka keeps what we keep elsewhere.
var internalTopics = map[string]bool{"__consumer_offsets": true, "__transaction_state": true, "__share_group_state": true}
