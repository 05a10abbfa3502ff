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
	case *kmsg.OffsetCommitResponse:
		slices.SortStableFunc(r.Topics, func(a, b kmsg.OffsetCommitResponseTopic) int {
			return cmp.Compare(transcript.Topic(a.TopicID)+a.Topic, transcript.Topic(b.TopicID)+b.Topic)
		})
		for _, t := range r.Topics {
			slices.SortStableFunc(t.Partitions, func(a, b kmsg.OffsetCommitResponseTopicPartition) int {
				return cmp.Compare(a.Partition, b.Partition)
			})
		}
	case *kmsg.OffsetFetchResponse:
		sortFetched(r, transcript)
	}
}

func sortFetched(r *kmsg.OffsetFetchResponse, transcript protocol.Transcript) {
	byPartition := func(a, b int32) int { return cmp.Compare(a, b) }
	slices.SortStableFunc(r.Topics, func(a, b kmsg.OffsetFetchResponseTopic) int { return cmp.Compare(a.Topic, b.Topic) })
	for _, t := range r.Topics {
		slices.SortStableFunc(t.Partitions, func(a, b kmsg.OffsetFetchResponseTopicPartition) int {
			return byPartition(a.Partition, b.Partition)
		})
	}
	for _, g := range r.Groups {
		slices.SortStableFunc(g.Topics, func(a, b kmsg.OffsetFetchResponseGroupTopic) int {
			return cmp.Compare(transcript.Topic(a.TopicID)+a.Topic, transcript.Topic(b.TopicID)+b.Topic)
		})
		for _, t := range g.Topics {
			slices.SortStableFunc(t.Partitions, func(a, b kmsg.OffsetFetchResponseGroupTopicPartition) int {
				return byPartition(a.Partition, b.Partition)
			})
		}
	}
}
