package protocol

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func (l *line) deleteGroupsResponse(r *kmsg.DeleteGroupsResponse) {
	l.field("groups", brackets(texts(r.Groups, func(g kmsg.DeleteGroupsResponseGroup) string {
		about := l.names.line(l.version)
		about.nullable("message", g.ErrorMessage)
		return l.group(g.Group) + ":" + with(ErrorCode(g.ErrorCode).String(), about.words())
	})))
}

func (l *line) offsetDeleteRequest(r *kmsg.OffsetDeleteRequest) {
	l.field("group", l.group(r.Group))
	l.field("topics", brackets(texts(r.Topics, func(t kmsg.OffsetDeleteRequestTopic) string {
		partitions := make([]int32, len(t.Partitions))
		for i, p := range t.Partitions {
			partitions[i] = p.Partition
		}
		return quote(t.Topic) + "/" + partitionsText(partitions)
	})))
}

func (l *line) offsetDeleteResponse(r *kmsg.OffsetDeleteResponse) {
	l.code(r.ErrorCode)
	var offsets entries
	for _, t := range r.Topics {
		offsets.addCodes(quote(t.Topic), len(t.Partitions), func(i int) (int32, int16) {
			return t.Partitions[i].Partition, t.Partitions[i].ErrorCode
		})
	}
	l.list("offsets", offsets.texts())
}

func (l *line) findCoordinatorRequest(r *kmsg.FindCoordinatorRequest) {
	l.number("type", int64(r.CoordinatorType), 0)
	if l.version < 4 {
		l.field("key", l.group(r.CoordinatorKey))
		return
	}
	l.field("keys", brackets(texts(r.CoordinatorKeys, l.group)))
}

func (l *line) findCoordinatorResponse(r *kmsg.FindCoordinatorResponse) {
	if l.version < 4 {
		l.code(r.ErrorCode)
		l.nullable("message", r.ErrorMessage)
		l.node(r.NodeID, r.Host, r.Port)
		return
	}
	l.field("keys", brackets(texts(r.Coordinators, func(c kmsg.FindCoordinatorResponseCoordinator) string {
		about := l.names.line(l.version)
		about.nullable("message", c.ErrorMessage)
		about.node(c.NodeID, c.Host, c.Port)
		return l.group(c.Key) + ":" + with(ErrorCode(c.ErrorCode).String(), about.words())
	})))
}

// node appends a broker: its id and its address. Where there is none, Kafka answers with no host.
func (l *line) node(id int32, host string, port int32) {
	if host != "" {
		l.field("node", fmt.Sprintf("%d@%s:%d", id, host, port))
	}
}

func (l *line) apiVersionsResponse(r *kmsg.ApiVersionsResponse) {
	l.code(r.ErrorCode)
	l.list("apis", texts(r.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) string {
		return fmt.Sprintf("%s:%d-%d", kmsg.NameForKey(k.ApiKey), k.MinVersion, k.MaxVersion)
	}))
}
