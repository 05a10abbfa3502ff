package script

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// dropTopics deletes topics: "drop returns refunds". Other scripts must not use them.
func (r *runner) dropTopics(rest string, _ []string) ([]string, error) {
	if err := r.target.DeleteTopics(r.ctx, strings.Fields(rest)); err != nil {
		return nil, fmt.Errorf("drop %s: %w", rest, err)
	}
	return nil, nil
}

// DeleteTopics implements [Target]. It returns when the broker itself does not know the topics any more.
func (s *Socket) DeleteTopics(ctx context.Context, names []string) error {
	session, _ := s.Open(ctx, protocol.Identity{ClientID: "script"})
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	drop := kmsg.NewPtrDeleteTopicsRequest()
	drop.SetVersion(DeleteTopicsVersion)
	drop.TimeoutMillis = int32(patience.Milliseconds())
	for _, name := range names {
		drop.TopicNames = append(drop.TopicNames, s.TopicPrefix+name)
	}
	resp, err := session.Request(ctx, drop)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.DeleteTopicsResponse).Topics {
		if err := protocol.ErrorCode(t.ErrorCode).Err(); err != nil {
			return fmt.Errorf("topic %s: %w", *t.Topic, err)
		}
	}
	for {
		left, err := topicsLeft(ctx, session, drop.TopicNames)
		if !left || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("they are still there: %w", ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// topicsLeft reports whether the broker still knows one of the topics.
func topicsLeft(ctx context.Context, session protocol.Session, names []string) (bool, error) {
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.SetVersion(MetadataVersion)
	for _, name := range names {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		metadata.Topics = append(metadata.Topics, topic)
	}
	resp, err := session.Request(ctx, metadata)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(resp.(*kmsg.MetadataResponse).Topics, func(t kmsg.MetadataResponseTopic) bool {
		return protocol.ErrorCode(t.ErrorCode) != protocol.UnknownTopicOrPartition
	}), nil
}
