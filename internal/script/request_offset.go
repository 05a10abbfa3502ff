package script

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func offsetCommit(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrOffsetCommitRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "gen", from: 1, set: integer(&r.Generation)},
		{name: "member", from: 1, set: n.member(&r.MemberID)},
		{name: "instance", from: 7, set: nullable(&r.InstanceID)},
		{name: "retention", from: 2, to: 4, set: millis(&r.RetentionTimeMillis)},
		{name: "offsets", set: each(func(entry string) error {
			topic, p, err := n.commitPartition(entry)
			if err != nil {
				return err
			}
			if last := len(r.Topics) - 1; last < 0 || r.Topics[last].Topic != topic {
				t := kmsg.NewOffsetCommitRequestTopic()
				t.Topic, t.TopicID = topic, n.topicID(topic)
				r.Topics = append(r.Topics, t)
			}
			last := &r.Topics[len(r.Topics)-1]
			last.Partitions = append(last.Partitions, p)
			return nil
		})},
	}
}

// commitPartition reads orders/0@42(epoch=7 metadata=note).
func (n *namebook) commitPartition(entry string) (topic string, p kmsg.OffsetCommitRequestTopicPartition, err error) {
	p = kmsg.NewOffsetCommitRequestTopicPartition()
	head, args, _, err := cutArguments(entry)
	if err != nil {
		return "", p, err
	}
	name, rest, slash, err := cut(head, '/')
	partition, offset, at := strings.Cut(rest, "@")
	if err != nil || !slash || !at {
		return "", p, fmt.Errorf("%s is no offset; write topic/0@42", entry)
	}
	if topic, err = unquote(name); err != nil {
		return "", p, err
	}
	topic = n.topic(topic)
	if err := integer(&p.Partition)(partition); err != nil {
		return "", p, err
	}
	if err := integer(&p.Offset)(offset); err != nil {
		return "", p, err
	}
	return topic, p, setAll("a committed offset", args, []field{
		{name: "epoch", set: integer(&p.LeaderEpoch)},
		{name: "metadata", set: nullable(&p.Metadata)},
	})
}

func offsetFetch(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrOffsetFetchRequest()
	return r, []field{
		{name: "group", to: 7, set: n.group(&r.Group)},
		{name: "topics", to: 7, set: func(value string) error {
			topics, err := fetchTopics(value, n)
			for _, t := range topics {
				r.Topics = append(r.Topics, kmsg.OffsetFetchRequestTopic{Topic: t.Topic, Partitions: t.Partitions})
			}
			if topics != nil && r.Topics == nil {
				r.Topics = []kmsg.OffsetFetchRequestTopic{} // none, as opposed to all
			}
			return err
		}},
		{name: "groups", from: 8, set: each(func(entry string) error {
			head, args, _, err := cutArguments(entry)
			if err != nil {
				return err
			}
			g := kmsg.NewOffsetFetchRequestGroup()
			if err := n.group(&g.Group)(head); err != nil {
				return err
			}
			var member string
			err = setAll("a group to fetch", args, []field{
				{name: "topics", set: func(v string) (err error) { g.Topics, err = fetchTopics(v, n); return err }},
				{name: "member", set: func(v string) error { g.MemberID = &member; return n.member(&member)(v) }},
				{name: "epoch", set: integer(&g.MemberEpoch)},
			})
			r.Groups = append(r.Groups, g)
			return err
		})},
		{name: "stable", from: 7, set: boolean(&r.RequireStable)},
	}
}

// fetchTopics reads [orders/0-3 payments/0], or all, which is nil.
func fetchTopics(value string, n *namebook) ([]kmsg.OffsetFetchRequestGroupTopic, error) {
	if value == "all" {
		return nil, nil
	}
	entries, err := list(value)
	if err != nil {
		return nil, err
	}
	topics := []kmsg.OffsetFetchRequestGroupTopic{}
	for _, e := range entries {
		parsed, err := n.topicPartitions(e)
		if err != nil {
			return nil, err
		}
		for _, t := range parsed {
			topic := kmsg.NewOffsetFetchRequestGroupTopic()
			topic.Topic, topic.TopicID, topic.Partitions = t.Topic, n.topicID(t.Topic), t.Partitions
			topics = append(topics, topic)
		}
	}
	return topics, nil
}
