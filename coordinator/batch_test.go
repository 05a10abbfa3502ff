package coordinator_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

// TestTheLargestBatchIsKafkas looks for the largest commit that is taken, to the byte.
func TestTheLargestBatchIsKafkas(t *testing.T) { // G-259, G-301
	broker := kafkatest.Start(t, kafkatest.V4_4_0)
	topic := broker.CreateTopic(t, 1)
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.ClientID("batch"), kgo.MaxVersions(kversion.V3_8_0()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ours := start(t, coordinator.Config{})

	want := largestCommit(t, topic, func(req *kmsg.OffsetCommitRequest) *kmsg.OffsetCommitResponse {
		resp, err := req.RequestWith(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	})
	got := largestCommit(t, topic, func(req *kmsg.OffsetCommitRequest) *kmsg.OffsetCommitResponse {
		return handle[*kmsg.OffsetCommitResponse](t, ours, 8, req)
	})
	const topicID = 18 // that a record of Kafka's has, with its tag, and ours has not
	if got != want+topicID*entries {
		t.Errorf("a commit of %d entries with %d bytes of metadata is taken, by Kafka one with %d", entries, got, want)
	}
}

const entries = 256

// largestCommit returns how many bytes of metadata, at least, are too many for a commit.
func largestCommit(t *testing.T, topic string, commit func(*kmsg.OffsetCommitRequest) *kmsg.OffsetCommitResponse) int {
	t.Helper()
	const most = 4096
	return sort.Search(entries*most, func(bytes int) bool {
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Version, req.Group = 8, topic
		req.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: topic}}
		for i := range entries {
			p := kmsg.NewOffsetCommitRequestTopicPartition()
			p.Metadata = new(strings.Repeat("x", (bytes+1+i)/entries))
			req.Topics[0].Partitions = append(req.Topics[0].Partitions, p)
		}
		switch code := protocol.ErrorCode(commit(req).Topics[0].Partitions[0].ErrorCode); code {
		case protocol.None:
			return false
		case protocol.UnknownServerError:
			return true
		default:
			t.Fatal(code)
			return true
		}
	})
}

func TestCommitsAreGatheredWhileTheyFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		p := connect(t, start(t, coordinator.Config{Store: store, MaxBatchBytes: 1000}), "client")
		store.hold = true
		results := make(chan protocol.ErrorCode)
		for i := range 9 {
			go func() { results <- p.commit(nil, fmt.Sprint("t", i), int64(i)) }()
			synctest.Wait()
		}
		for range 9 { // one at first, and then few at a time
			if len(store.pending) > 0 {
				store.finish(nil)
			}
			if code := <-results; code != protocol.None {
				t.Errorf("commit: %v", code)
			}
		}
		if most := store.batches[1]; len(store.batches) < 3 || most < 2 {
			t.Errorf("batches of %v records", store.batches)
		}
	})
}

func TestDeletionsAreNeverTooLarge(t *testing.T) { // G-301
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{MaxBatchBytes: 1000})
		p := connect(t, c, "client")
		for i := range 100 {
			if code := p.commit(nil, fmt.Sprint("t", i), 1); code != protocol.None {
				t.Fatal(code)
			}
		}
		req := kmsg.NewPtrDeleteGroupsRequest()
		req.Groups = []string{"g"}
		if got := handle[*kmsg.DeleteGroupsResponse](t, c, 2, req).Groups[0].ErrorCode; got != 0 {
			t.Errorf("deleting a group: %v", protocol.ErrorCode(got))
		}
	})
}
