package script

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The versions of the requests with which a socket makes and deletes topics.
const (
	CreateTopicsVersion = 5
	DeleteTopicsVersion = 4
	MetadataVersion     = 10 // the first that has topic ids
)

// CreateTopics implements [Target]. It returns when the broker itself knows the topics.
func (s *Socket) CreateTopics(ctx context.Context, partitions map[string]int32) (map[string][16]byte, error) {
	session, _ := s.Open(ctx, protocol.Identity{ClientID: "script"})
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	names := slices.Sorted(maps.Keys(partitions))
	create := kmsg.NewPtrCreateTopicsRequest()
	create.SetVersion(CreateTopicsVersion)
	create.TimeoutMillis = int32(patience.Milliseconds())
	for _, name := range names {
		topic := kmsg.NewCreateTopicsRequestTopic()
		topic.Topic, topic.NumPartitions, topic.ReplicationFactor = s.TopicPrefix+name, partitions[name], 1
		create.Topics = append(create.Topics, topic)
	}
	resp, err := session.Request(ctx, create)
	if err != nil {
		return nil, err
	}
	const alreadyExists = 36
	for _, t := range resp.(*kmsg.CreateTopicsResponse).Topics {
		if code := protocol.ErrorCode(t.ErrorCode); code != 0 && code != alreadyExists {
			return nil, fmt.Errorf("topic %s: %w", t.Topic, code)
		}
	}
	ids := map[string][16]byte{}
	for _, name := range names {
		if ids[name], err = awaitTopic(ctx, session, s.TopicPrefix+name, partitions[name]); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// awaitTopic returns a topic's id when every partition has a leader.
func awaitTopic(ctx context.Context, session protocol.Session, name string, partitions int32) ([16]byte, error) {
	for {
		metadata := kmsg.NewPtrMetadataRequest()
		metadata.SetVersion(MetadataVersion)
		metadata.Topics = []kmsg.MetadataRequestTopic{{Topic: &name}}
		resp, err := session.Request(ctx, metadata)
		if err != nil {
			return [16]byte{}, err
		}
		for _, t := range resp.(*kmsg.MetadataResponse).Topics {
			ready := t.ErrorCode == 0 && t.Topic != nil && *t.Topic == name
			for _, p := range t.Partitions {
				ready = ready && p.ErrorCode == 0
			}
			switch {
			case ready && len(t.Partitions) != int(partitions):
				return [16]byte{}, fmt.Errorf("topic %s has %d partitions already, not %d; scripts that share a broker must agree",
					name, len(t.Partitions), partitions)
			case ready:
				return t.TopicID, nil
			}
		}
		if err := pause(ctx); err != nil {
			return [16]byte{}, fmt.Errorf("topic %s: no leader for every partition: %w", name, err)
		}
	}
}
