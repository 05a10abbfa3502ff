package broker_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/kafkatest"
)

// describeTopics asks for topics in many ways, and returns what a broker answers, but for what is its own.
func (c *client) describeTopics(name string) (answers []string) {
	c.t.Helper()
	cursor := func(topic string, partition int32) *kmsg.DescribeTopicPartitionsRequestCursor {
		return &kmsg.DescribeTopicPartitionsRequestCursor{Topic: topic, Partition: partition}
	}
	for _, test := range []struct {
		topics []string
		limit  int32
		cursor *kmsg.DescribeTopicPartitionsRequestCursor
	}{
		{[]string{name}, 2000, nil},
		{[]string{name, name}, 2000, nil},
		{[]string{name, "nosuch"}, 2000, nil},
		{[]string{name, "zzz"}, 3, nil},
		{[]string{name}, 0, nil},
		{[]string{name}, -1, nil},
		{[]string{name}, 2, nil},
		{[]string{name}, 2, cursor(name, 2)},
		{[]string{name}, 2, cursor(name, 7)},
		{[]string{"nosuch", name}, 2, cursor("nosuch", 0)},
		{[]string{name}, 2, cursor(name, -1)},
		{[]string{name}, 2, cursor("aaa", 0)},
		{[]string{name}, 2, cursor("zzz", 0)},
		{[]string{name}, 2, cursor("", 0)},
		{nil, 2, cursor(name, -1)},
		{nil, 2, cursor("zzz", 0)},
	} {
		req := kmsg.NewPtrDescribeTopicPartitionsRequest()
		for _, name := range test.topics {
			req.Topics = append(req.Topics, kmsg.DescribeTopicPartitionsRequestTopic{Topic: name})
		}
		req.ResponsePartitionLimit, req.Cursor = test.limit, test.cursor
		resp := ask[*kmsg.DescribeTopicPartitionsResponse](c, req)
		answer := fmt.Sprintf("%v, %d, %+v:", test.topics, test.limit, test.cursor)
		for _, topic := range resp.Topics {
			answer += fmt.Sprintf(" %s %d, id %t, %t, %d", *topic.Topic, topic.ErrorCode, topic.TopicID != [16]byte{}, topic.IsInternal, topic.AuthorizedOperations)
			for _, p := range topic.Partitions {
				answer += fmt.Sprintf(" [%d %d %d %d of %d, %#v %#v %v]", p.Partition, p.ErrorCode, p.LeaderEpoch, len(p.ISR), len(p.Replicas),
					p.EligibleLeaderReplicas, p.LastKnownELR, p.OfflineReplicas)
			}
		}
		answers = append(answers, fmt.Sprintf("%s, next %+v", answer, resp.NextCursor))
	}
	return answers
}

func TestKafkaDescribesTopicsAlike(t *testing.T) { // KIP-966
	var ours []string
	topic := kafkatest.Name(t)
	synctest.Test(t, func(t *testing.T) {
		ours = start(t, broker.Config{Topics: map[string]int32{topic: 3}}).dial("admin").describeTopics(topic)
	})
	c := dialTCP(t, kafkatest.Start(t, kafkatest.V4_4_0).Addr())
	c.createTopic(topic, 3)
	if theirs := c.describeTopics(topic); !slices.Equal(theirs, ours) {
		t.Errorf("%q\nKafka answers\n%q", ours, theirs)
	}
}

func (c *client) createTopic(name string, partitions int32) {
	c.t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version, req.TimeoutMillis = 5, 10_000
	req.Topics = []kmsg.CreateTopicsRequestTopic{{Topic: name, NumPartitions: partitions, ReplicationFactor: 1}}
	c.want("CreateTopics", ask[*kmsg.CreateTopicsResponse](c, req).Topics[0].ErrorCode, 0)
}
