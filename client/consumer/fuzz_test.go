package consumer

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// Whatever a leader sends as an assignment is an error, or partitions in order, each once.
func FuzzAssignment(f *testing.F) {
	a := protocol.NewAssignment(
		protocol.TopicPartitions{Topic: "b", Partitions: []int32{1, 0, 1}},
		protocol.TopicPartitions{Topic: "a", Partitions: []int32{3}},
	)
	f.Add(a.AppendTo(nil))
	f.Add([]byte{})
	f.Add([]byte{0, 3, 0, 0, 0, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decodeAssignment(client.Assignment{Bytes: b})
		if err != nil {
			return
		}
		for i, p := range a.Partitions {
			if p.Partition < 0 || i > 0 && comparePartitions(a.Partitions[i-1], p) >= 0 {
				t.Fatalf("%v is at %d of %v", p, i, a.Partitions)
			}
		}
	})
}

// Whatever a broker sends as metadata makes a problem for the assignor, or an error, and a snapshot.
func FuzzMetadata(f *testing.F) {
	seed := kmsg.NewPtrMetadataResponse()
	seed.Version = 12
	broker := kmsg.NewMetadataResponseBroker()
	broker.Rack = kmsg.StringPtr("r")
	partition := kmsg.NewMetadataResponseTopicPartition()
	partition.Replicas = []int32{1, 0}
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic, topic.Partitions = kmsg.StringPtr("a"), append(topic.Partitions, partition, partition)
	seed.Brokers, seed.Topics = append(seed.Brokers, broker), append(seed.Topics, topic)
	f.Add(seed.AppendTo(nil))
	subscription := protocol.NewSubscription("a", "b")
	members := []assignor.JoinedMember{{ID: "m", Metadata: subscription.AppendTo(nil)}}
	f.Fuzz(func(t *testing.T, b []byte) {
		resp := kmsg.NewPtrMetadataResponse()
		resp.Version = 12
		if resp.ReadFrom(b) != nil {
			return
		}
		c := &Consumer{cfg: Config{Rack: "r"}, log: zap.NewNop()}
		cluster := c.readCluster(resp)
		if s := c.snapshot(cluster); !s.equal(c.snapshot(cluster)) {
			t.Fatalf("snapshot %v is not itself", s)
		}
		group, err := assignor.Decode(assignor.Join{Members: members})
		if err != nil {
			t.Fatal(err)
		}
		problem, err := group.Problem(cluster)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := assignor.Run(t.Context(), assignor.Range{}, problem); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(problem.Topics, func(a, b assignor.Topic) int { return protocol.CompareJava(a.Name, b.Name) }) {
			t.Fatal("topics are not sorted")
		}
	})
}
