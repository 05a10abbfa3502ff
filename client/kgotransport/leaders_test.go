package kgotransport_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// listEnds asks for the ends of the first partitions of a topic.
func listEnds(ctx context.Context, s protocol.Session, topic string, partitions int) (ends map[int32]int64, codes map[int32]protocol.ErrorCode, err error) {
	req := kmsg.NewPtrListOffsetsRequest()
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	for q := range partitions {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = int32(q), -1
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	resp, err := s.Request(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	ends, codes = make(map[int32]int64), make(map[int32]protocol.ErrorCode)
	for _, topic := range resp.(*kmsg.ListOffsetsResponse).Topics {
		for _, p := range topic.Partitions {
			ends[p.Partition], codes[p.Partition] = p.Offset, protocol.ErrorCode(p.ErrorCode)
		}
	}
	return ends, codes, nil
}

// TestListOffsetsGoesToTheLeaders, who are three, and move.
func TestListOffsetsGoesToTheLeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, kfake.SeedTopics(6, "t"))
		cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(c.network.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			t.Fatal(err)
		}
		defer cl.Close()
		for q := range int32(6) {
			for range q {
				if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Partition: q}).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
		}
		s := open(t, c.transport(t))
		leaders := make(map[int32]bool)
		for round := range 2 {
			ends, codes, err := listEnds(t.Context(), s, "t", 7)
			if err != nil || len(ends) != 7 || codes[6] != protocol.UnknownTopicOrPartition {
				t.Fatalf("round %d: got %v, %v, %v", round, ends, codes, err)
			}
			for q := range int32(6) {
				if ends[q] != int64(q) || codes[q] != protocol.None {
					t.Errorf("round %d: partition %d ends at %d, %v", round, q, ends[q], codes[q])
				}
				leader := c.LeaderFor("t", q)
				leaders[leader] = true
				if err := c.MoveTopicPartition("t", q, (leader+1)%3); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(10 * time.Second) // for which kgo believes in the old ones
		}
		if len(leaders) != 3 {
			t.Errorf("the leaders are %v", leaders)
		}
		if _, codes, err := listEnds(t.Context(), s, "nosuch", 1); err != nil || codes[0] != protocol.UnknownTopicOrPartition {
			t.Errorf("of a topic that does not exist: %v, %v", codes, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c.Close()
		_, _, err = listEnds(ctx, s, "t", 6)
		wantErr(t, err, nil, false, "leaders of partitions", "bootstrap ")
	})
}
