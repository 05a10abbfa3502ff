package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// requestTimeout bounds a request of this package, with all the retries that kgo makes.
const requestTimeout = 30 * time.Second

// CreateTopic makes a topic with a name of its own ([Name]) and the given number of partitions, and returns its name once
// clients can see it.
func (b *Broker) CreateTopic(t testing.TB, partitions int32) string {
	t.Helper()
	name := Name(t)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	if err := createTopic(ctx, b.Addr(), name, partitions); err != nil {
		t.Fatalf("create topic %s: %v", name, err)
	}
	return name
}

func createTopic(ctx context.Context, addr, name string, partitions int32) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer client.Close()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, 1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, topic := range resp.Topics {
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			return err
		}
	}
	return awaitTopic(ctx, client, name, partitions)
}

// awaitTopic waits until every partition of a topic has a leader: the controller answers before the broker has caught up.
func awaitTopic(ctx context.Context, client *kgo.Client, name string, partitions int32) error {
	for {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = append(req.Topics, topic)
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		if led(resp) == partitions {
			return nil
		}
		if !pause(ctx, 10*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// led counts the partitions that have a leader.
func led(resp *kmsg.MetadataResponse) (count int32) {
	for _, topic := range resp.Topics {
		for _, partition := range topic.Partitions {
			if partition.Leader >= 0 && partition.ErrorCode == 0 {
				count++
			}
		}
	}
	return count
}
