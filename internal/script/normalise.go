package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// normalise takes out of an answer what Kafka leaves open, so that one expected text holds for every broker. What is
// left out altogether (throttle times, the hosts of members) is left out by the transcript. doc.go lists the reasons.
func normalise(resp kmsg.Response, transcript protocol.Transcript, prefix string) {
	byMember := func(a, b string) int { return cmp.Compare(transcript.Member(a), transcript.Member(b)) }
	switch r := resp.(type) {
	case *kmsg.JoinGroupResponse:
		slices.SortFunc(r.Members, func(a, b kmsg.JoinGroupResponseMember) int { return byMember(a.MemberID, b.MemberID) })
	case *kmsg.DescribeGroupsResponse:
		slices.SortStableFunc(r.Groups, func(a, b kmsg.DescribeGroupsResponseGroup) int {
			return cmp.Compare(transcript.Group(a.Group), transcript.Group(b.Group))
		})
		for _, g := range r.Groups {
			if g.ErrorMessage != nil && prefix != "" {
				*g.ErrorMessage = strings.ReplaceAll(*g.ErrorMessage, prefix, "")
			}
			slices.SortFunc(g.Members, func(a, b kmsg.DescribeGroupsResponseGroupMember) int {
				return byMember(a.MemberID, b.MemberID)
			})
		}
	case *kmsg.ListGroupsResponse:
		r.Groups = slices.DeleteFunc(r.Groups, func(g kmsg.ListGroupsResponseGroup) bool {
			return !strings.HasPrefix(g.Group, prefix) // another script's
		})
		slices.SortFunc(r.Groups, func(a, b kmsg.ListGroupsResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	case *kmsg.DeleteGroupsResponse:
		slices.SortFunc(r.Groups, func(a, b kmsg.DeleteGroupsResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	case *kmsg.FindCoordinatorResponse:
		r.Host, r.ErrorMessage = "", nil
		for i := range r.Coordinators {
			r.Coordinators[i].Host, r.Coordinators[i].ErrorMessage = "", nil
		}
	case *kmsg.ApiVersionsResponse:
		r.ApiKeys = slices.DeleteFunc(r.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool {
			_, ok := apis[kmsg.NameForKey(k.ApiKey)]
			return !ok
		})
		slices.SortFunc(r.ApiKeys, func(a, b kmsg.ApiVersionsResponseApiKey) int { return cmp.Compare(a.ApiKey, b.ApiKey) })
	default:
		sortPartitions(resp, transcript)
	}
}

// sortPartitions sorts the topics of answers about partitions, and the partitions of each.
func sortPartitions(resp kmsg.Response, transcript protocol.Transcript) {
	name := func(topic string, id [16]byte) string { return transcript.Topic(id) + topic }
	switch r := resp.(type) {
	case *kmsg.OffsetCommitResponse:
		sortTopics(r.Topics, func(t kmsg.OffsetCommitResponseTopic) string { return name(t.Topic, t.TopicID) })
		for _, t := range r.Topics {
			sortNumbers(t.Partitions, func(p kmsg.OffsetCommitResponseTopicPartition) int32 { return p.Partition })
		}
	case *kmsg.TxnOffsetCommitResponse:
		sortTopics(r.Topics, func(t kmsg.TxnOffsetCommitResponseTopic) string { return name(t.Topic, t.TopicID) })
		for _, t := range r.Topics {
			sortNumbers(t.Partitions, func(p kmsg.TxnOffsetCommitResponseTopicPartition) int32 { return p.Partition })
		}
	case *kmsg.OffsetDeleteResponse:
		sortTopics(r.Topics, func(t kmsg.OffsetDeleteResponseTopic) string { return t.Topic })
		for _, t := range r.Topics {
			sortNumbers(t.Partitions, func(p kmsg.OffsetDeleteResponseTopicPartition) int32 { return p.Partition })
		}
	case *kmsg.OffsetFetchResponse:
		sortTopics(r.Topics, func(t kmsg.OffsetFetchResponseTopic) string { return t.Topic })
		for _, t := range r.Topics {
			sortNumbers(t.Partitions, func(p kmsg.OffsetFetchResponseTopicPartition) int32 { return p.Partition })
		}
		for _, g := range r.Groups {
			sortTopics(g.Topics, func(t kmsg.OffsetFetchResponseGroupTopic) string { return name(t.Topic, t.TopicID) })
			for _, t := range g.Topics {
				sortNumbers(t.Partitions, func(p kmsg.OffsetFetchResponseGroupTopicPartition) int32 { return p.Partition })
			}
		}
	}
}

func sortTopics[T any](topics []T, name func(T) string) {
	slices.SortStableFunc(topics, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
}

func sortNumbers[P any](partitions []P, number func(P) int32) {
	slices.SortStableFunc(partitions, func(a, b P) int { return cmp.Compare(number(a), number(b)) })
}
