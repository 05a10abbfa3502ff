package consumer

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// fetchCluster asks for the partitions of topics until it is told or ctx ends (G-499).
func (c *Consumer) fetchCluster(ctx context.Context, topics []string) (assignor.Cluster, error) {
	var cluster assignor.Cluster
	if len(topics) == 0 {
		return cluster, nil // to ask for none would mean all of them, to an old broker
	}
	err := c.retry(ctx, func() error {
		resp, err := c.member.Request(ctx, metadataRequest(topics))
		if err != nil {
			return again(err)
		}
		metadata, ok := resp.(*kmsg.MetadataResponse)
		if !ok {
			return fmt.Errorf("the session answered with %T", resp)
		}
		cluster = c.readCluster(metadata)
		return nil
	})
	if err != nil {
		return cluster, fmt.Errorf("fetch the partitions of %d topics: %w", len(topics), err)
	}
	return cluster, nil
}

// metadataRequest asks for topics by name. It must not create them: whoever waits for a topic does not know how many
// partitions it shall have.
func metadataRequest(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = false
	for _, topic := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req.Topics = append(req.Topics, t)
	}
	return req
}

// readCluster reads the answer. Topics with an error are left out of it, and logged unless they just do not exist, which
// the assignor's notes tell.
func (c *Consumer) readCluster(resp *kmsg.MetadataResponse) assignor.Cluster {
	cluster := assignor.Cluster{Racks: make(map[int32]string)}
	for _, broker := range resp.Brokers {
		if broker.Rack != nil && *broker.Rack != "" {
			cluster.Racks[broker.NodeID] = *broker.Rack
		}
	}
	seen := make(map[string]bool, len(resp.Topics))
	for _, t := range resp.Topics {
		if t.Topic == nil || seen[*t.Topic] {
			continue
		}
		seen[*t.Topic] = true
		if code := protocol.ErrorCode(t.ErrorCode); code != protocol.None {
			if code != protocol.UnknownTopicOrPartition {
				c.log.Warn("the leader cannot see a topic", zap.String("topic", *t.Topic), zap.Error(code))
			}
			continue
		}
		cluster.Topics = append(cluster.Topics,
			assignor.Topic{Name: *t.Topic, Partitions: len(t.Partitions), Replicas: replicas(t.Partitions)})
	}
	return cluster
}

// replicas lists the brokers of each partition, its leader first.
func replicas(partitions []kmsg.MetadataResponseTopicPartition) [][]int32 {
	all := make([][]int32, len(partitions))
	for _, p := range partitions {
		if p.Partition < 0 || int(p.Partition) >= len(all) {
			continue // numbers with gaps: no broker has these
		}
		for i, broker := range p.Replicas {
			if broker == p.Leader {
				p.Replicas[0], p.Replicas[i] = p.Replicas[i], p.Replicas[0]
				break
			}
		}
		if len(p.Replicas) == 0 || p.Replicas[0] != p.Leader {
			p.Replicas = append([]int32{-1}, p.Replicas...)
		}
		all[p.Partition] = p.Replicas
	}
	return all
}
