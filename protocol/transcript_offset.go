package protocol

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func (l *line) offsetCommitRequest(r *kmsg.OffsetCommitRequest) {
	l.field("group", l.group(r.Group))
	l.number("gen", int64(r.Generation), -1)
	l.memberID("member", r.MemberID)
	l.nullable("instance", r.InstanceID)
	if r.RetentionTimeMillis != -1 {
		l.field("retention", millis(r.RetentionTimeMillis))
	}
	var offsets entries
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			offsets.add(func() string {
				return committedText(l.topic(t.Topic, t.TopicID), p.Partition, p.Offset, p.LeaderEpoch, p.Metadata)
			})
		}
	}
	l.field("offsets", brackets(offsets.texts()))
}

// committedText renders an offset to commit: orders/0@42(epoch=7 metadata=note).
func committedText(topic string, partition int32, offset int64, epoch int32, metadata *string) string {
	var about []string
	if epoch != -1 {
		about = append(about, "epoch="+number(epoch))
	}
	if metadata != nil {
		about = append(about, "metadata="+quote(*metadata))
	}
	return with(fmt.Sprintf("%s/%d@%d", topic, partition, offset), about)
}

func (l *line) offsetCommitResponse(r *kmsg.OffsetCommitResponse) {
	var offsets entries
	for _, t := range r.Topics {
		offsets.addCodes(l.topic(t.Topic, t.TopicID), len(t.Partitions), func(i int) (int32, int16) {
			return t.Partitions[i].Partition, t.Partitions[i].ErrorCode
		})
	}
	l.field("offsets", brackets(offsets.texts()))
}

// addCodes adds the error codes of a topic's partitions; neighbours with one code are shown together.
func (e *entries) addCodes(topic string, count int, at func(i int) (partition int32, code int16)) {
	for i := 0; i < count; {
		var partitions []int32
		_, code := at(i)
		for ; i < count; i++ {
			partition, next := at(i)
			if next != code {
				break
			}
			partitions = append(partitions, partition)
		}
		e.add(func() string { return topic + "/" + partitionsText(partitions) + ":" + ErrorCode(code).String() })
	}
}

func (l *line) offsetFetchRequest(r *kmsg.OffsetFetchRequest) {
	if l.version < 8 {
		l.field("group", l.group(r.Group))
		if r.Topics == nil {
			l.field("topics", "all")
		} else {
			l.field("topics", brackets(texts(r.Topics, func(t kmsg.OffsetFetchRequestTopic) string {
				return quote(t.Topic) + "/" + partitionsText(t.Partitions)
			})))
		}
	} else {
		l.field("groups", brackets(texts(r.Groups, l.offsetFetchGroup)))
	}
	l.flag("stable", r.RequireStable)
}

func (l *line) offsetFetchGroup(g kmsg.OffsetFetchRequestGroup) string {
	about := l.names.line(l.version)
	if g.MemberID != nil {
		about.field("member", l.member(*g.MemberID))
	}
	about.number("epoch", int64(g.MemberEpoch), -1)
	if g.Topics == nil {
		about.field("topics", "all")
	} else {
		about.field("topics", brackets(texts(g.Topics, func(t kmsg.OffsetFetchRequestGroupTopic) string {
			return l.topic(t.Topic, t.TopicID) + "/" + partitionsText(t.Partitions)
		})))
	}
	return with(l.group(g.Group), about.words())
}

func (l *line) offsetFetchResponse(r *kmsg.OffsetFetchResponse) {
	if l.version >= 8 {
		l.field("groups", brackets(texts(r.Groups, func(g kmsg.OffsetFetchResponseGroup) string {
			var offsets entries
			for _, t := range g.Topics {
				for _, p := range t.Partitions {
					offsets.add(func() string { return fetchedText(l.topic(t.Topic, t.TopicID), fetched(p)) })
				}
			}
			return l.group(g.Group) + ":" + ErrorCode(g.ErrorCode).String() + "(" + strings.Join(offsets.texts(), " ") + ")"
		})))
		return
	}
	if l.version >= 2 {
		l.code(r.ErrorCode)
	}
	var offsets entries
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			offsets.add(func() string { return fetchedText(quote(t.Topic), p) })
		}
	}
	l.field("offsets", brackets(offsets.texts()))
}

// fetched is one offset in an answer of any version.
type fetched = kmsg.OffsetFetchResponseTopicPartition

// fetchedText renders one fetched offset: orders/0@42(epoch=7 metadata=note), and its error if it has one.
func fetchedText(topic string, p fetched) string {
	var about []string
	if p.LeaderEpoch != -1 {
		about = append(about, "epoch="+number(p.LeaderEpoch))
	}
	switch {
	case p.Metadata == nil:
		about = append(about, "metadata=null")
	case *p.Metadata != "":
		about = append(about, "metadata="+quote(*p.Metadata))
	}
	text := with(fmt.Sprintf("%s/%d@%d", topic, p.Partition, p.Offset), about)
	if p.ErrorCode != 0 {
		text += ":" + ErrorCode(p.ErrorCode).String()
	}
	return text
}

// topic renders a topic that newer versions carry as an id in place of the name.
func (l *line) topic(name string, id [16]byte) string {
	if l.version >= 10 {
		return l.topicID(id)
	}
	return quote(name)
}
