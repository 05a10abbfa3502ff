package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// inTransaction is a commit of partitions 0 to 2 of t, of which it has two, and of a topic that there is not.
func inTransaction(producer int64, group string, generation int32, member string) *kmsg.TxnOffsetCommitRequest {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.ProducerID = "txn", producer
	req.Group, req.Generation, req.MemberID = group, generation, member
	for _, from := range commitRequest(generation, member).Topics {
		topic := kmsg.NewTxnOffsetCommitRequestTopic()
		topic.Topic, topic.TopicID = from.Topic, from.TopicID
		for _, p := range from.Partitions {
			to := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			to.Partition, to.Offset, to.LeaderEpoch, to.Metadata = p.Partition, p.Offset, p.LeaderEpoch, p.Metadata
			topic.Partitions = append(topic.Partitions, to)
		}
		req.Topics = append(req.Topics, topic)
	}
	return req
}

func endTransaction(t *testing.T, c *coordinator.Coordinator, producer int64, committed bool) {
	t.Helper()
	if err := c.EndTransaction(t.Context(), producer, committed); err != nil {
		t.Error(err)
	}
}

// fetched returns the first partition of t, with or without RequireStable.
func fetched(t *testing.T, c *coordinator.Coordinator, group string, stable bool) kmsg.OffsetFetchResponseGroupTopicPartition {
	t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = stable
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	g.Topics = []kmsg.OffsetFetchRequestGroupTopic{{Topic: "t", Partitions: []int32{0}}}
	req.Groups = append(req.Groups, g)
	return handle[*kmsg.OffsetFetchResponse](t, c, 9, req).Groups[0].Topics[0].Partitions[0]
}

func TestTxnOffsetCommitInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.TxnOffsetCommit, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		unknown := protocol.UnknownTopicOrPartition
		if version >= 6 {
			unknown = protocol.UnknownTopicID // G-622
		}
		check := func(what string, req *kmsg.TxnOffsetCommitRequest, want protocol.ErrorCode) {
			t.Helper()
			topics := handle[*kmsg.TxnOffsetCommitResponse](t, c, version, req).Topics
			wantCode(t, what, topics[0].Partitions[0].ErrorCode, want)
			wantCode(t, what, topics[0].Partitions[1].ErrorCode, want)
			wantCode(t, what+", no such partition", topics[0].Partitions[2].ErrorCode, protocol.UnknownTopicOrPartition)
			wantCode(t, what+", no such topic", topics[1].Partitions[0].ErrorCode, unknown)
		}
		without, withID := protocol.None, protocol.None // before version 3 nobody tells a generation (G-285)
		if version >= 3 {
			without, withID = protocol.IllegalGeneration, protocol.UnknownMemberID
		}
		absent := without
		if version >= 6 {
			absent = protocol.GroupIDNotFound
		}
		check("of a generation, no such group", inTransaction(7, "nope", 3, "nobody"), absent) // G-283
		check("of nobody, no such group", inTransaction(7, "g", -1, ""), protocol.None)
		joined := connect(t, c, "client").stable()
		check("of a member", inTransaction(7, "g", joined.Generation, joined.MemberID), protocol.None)
		check("of nobody, in a group of members", inTransaction(7, "g", -1, ""), protocol.None) // G-284
		check("of somebody else", inTransaction(7, "g", joined.Generation, "nobody"), withID)
		check("of another generation", inTransaction(7, "g", joined.Generation+1, joined.MemberID), without)
		topics := handle[*kmsg.TxnOffsetCommitResponse](t, c, version, inTransaction(7, "", -1, "")).Topics // G-281
		wantCode(t, "no group id", topics[0].Partitions[0].ErrorCode, protocol.InvalidGroupID)

		endTransaction(t, c, 7, true)
		epoch := int32(5)
		if version < 2 {
			epoch = -1
		}
		if p := fetched(t, c, "g", true); p.Offset != 40 || p.LeaderEpoch != epoch || *p.Metadata != "note" {
			t.Errorf("committed %+v", p)
		}
	})
}

// refusingTransactions refuses every transaction but that of producer 7.
type refusingTransactions struct{}

func (refusingTransactions) CheckOffsets(_ context.Context, req *kmsg.TxnOffsetCommitRequest) protocol.ErrorCode {
	if req.ProducerID == 7 {
		return protocol.None
	}
	return protocol.InvalidTxnState
}

func TestOffsetsOfATransactionThatIsNotUnderWayAreRefused(t *testing.T) { // G-282
	c := start(t, coordinator.Config{Topics: listedTopics{}, Transactions: refusingTransactions{}})
	for producer, want := range map[int64]protocol.ErrorCode{7: protocol.None, 8: protocol.InvalidTxnState} {
		resp := handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(producer, fmt.Sprint(producer), -1, ""))
		wantCode(t, fmt.Sprint("producer ", producer), resp.Topics[0].Partitions[0].ErrorCode, want)
		wantCode(t, "no such partition", resp.Topics[0].Partitions[2].ErrorCode, protocol.UnknownTopicOrPartition)
	}
	nothing := inTransaction(8, "g", -1, "")
	nothing.Topics = nothing.Topics[1:] // there is nothing to ask about
	resp := handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, nothing)
	wantCode(t, "no such topic", resp.Topics[0].Partitions[0].ErrorCode, protocol.UnknownTopicOrPartition)
}

func TestOffsetsOfATransactionOutliveTheirCoordinator(t *testing.T) { // G-272, G-275, G-288, G-292
	synctest.Test(t, func(t *testing.T) {
		for committed, want := range map[bool]int64{true: 40, false: 5} {
			config := coordinator.Config{Topics: listedTopics{}, Store: coordinator.NewMemoryStore()}
			c := start(t, config)
			connect(t, c, "client").commit(nil, "t", 5)
			handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(7, "g", -1, ""))
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			c = start(t, config)
			if p := fetched(t, c, "g", false); p.Offset != 5 || p.ErrorCode != 0 {
				t.Errorf("while the transaction is under way: %+v", p)
			}
			p := fetched(t, c, "g", true)
			wantCode(t, "stable offsets", p.ErrorCode, protocol.UnstableOffsetCommit)
			if p.Offset != -1 || p.LeaderEpoch != -1 || *p.Metadata != "" {
				t.Errorf("while the transaction is under way: %+v", p)
			}
			endTransaction(t, c, 7, committed)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			c = start(t, config)
			if p := fetched(t, c, "g", true); p.Offset != want || p.ErrorCode != 0 {
				t.Errorf("after the end: %+v", p)
			}
		}
	})
}

func TestEveryGroupHearsOfTheEndOfATransaction(t *testing.T) { // G-290, G-293, G-295
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{Topics: listedTopics{}})
		const groups = 100 // in about 43 of the 50 partitions
		for i := range groups {
			for producer := range int64(2) {
				handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(producer, fmt.Sprint("g", i), -1, ""))
			}
		}
		endTransaction(t, c, 0, false)
		endTransaction(t, c, 1, true)
		endTransaction(t, c, 1, true) // once more, and of one that nobody knows
		endTransaction(t, c, 9, true)
		for i := range groups {
			if p := fetched(t, c, fmt.Sprint("g", i), true); p.Offset != 40 {
				t.Errorf("group %d: %+v", i, p)
			}
		}
	})
}

func TestEveryGroupForgetsADeletedTopic(t *testing.T) { // G-321
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{})
		const groups = 100
		for i := range groups {
			for _, topic := range []string{"t", "kept"} {
				req := commitRequest(-1, "")
				req.Group, req.Topics = fmt.Sprint("g", i), req.Topics[:1]
				req.Topics[0].Topic = topic
				handle[*kmsg.OffsetCommitResponse](t, c, 9, req)
			}
		}
		if err := c.TopicDeleted(t.Context(), "t"); err != nil {
			t.Error(err)
		}
		for i := range groups {
			all := kmsg.NewPtrOffsetFetchRequest()
			all.Groups = []kmsg.OffsetFetchRequestGroup{{Group: fmt.Sprint("g", i)}}
			topics := handle[*kmsg.OffsetFetchResponse](t, c, 9, all).Groups[0].Topics
			if len(topics) != 1 || topics[0].Topic != "kept" {
				t.Errorf("group %d is left with %+v", i, topics)
			}
		}
	})
}

// A client that gives up on its commit may abort before the store has answered. The abort must wait for the commit, or the
// offsets would be pending for ever.
func TestEndOfATransactionWaitsForCommitsAtTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		c := start(t, coordinator.Config{Topics: listedTopics{}, Store: store})
		store.hold = true
		go func() { handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(7, "g", -1, "")) }()
		synctest.Wait()
		ended, forgotten := make(chan error, 1), make(chan error, 1)
		go func() { ended <- c.EndTransaction(t.Context(), 7, true) }()
		synctest.Wait()
		go func() { forgotten <- c.TopicDeleted(t.Context(), "t") }()
		synctest.Wait()
		if len(ended)+len(forgotten) > 0 {
			t.Fatal("they did not wait")
		}
		for range 3 { // the commit, the end, the tombstones
			store.finish(nil)
			synctest.Wait()
		}
		for what, result := range map[string]chan error{"the end": ended, "the deletion": forgotten} {
			select {
			case err := <-result:
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
			default:
				t.Errorf("%s still waits", what)
			}
		}
		if p := fetched(t, c, "g", true); p.Offset != -1 || p.ErrorCode != 0 {
			t.Errorf("left: %+v", p)
		}
	})
}

func TestEndOfATransactionThatCouldNotBeStoredIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		c := start(t, coordinator.Config{Topics: listedTopics{}, Store: store})
		handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(7, "g", -1, ""))
		store.hold = true
		ended := make(chan error, 1)
		go func() { ended <- c.EndTransaction(t.Context(), 7, true) }()
		synctest.Wait()
		store.finish(coordinator.ErrRefused)
		if err := <-ended; !errors.Is(err, protocol.CoordinatorNotAvailable) {
			t.Errorf("refused: %v", err)
		}
		store.hold = false
		endTransaction(t, c, 7, true)
		if p := fetched(t, c, "g", true); p.Offset != 40 {
			t.Errorf("after the second try: %+v", p)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.EndTransaction(t.Context(), 7, true); !errors.Is(err, coordinator.ErrClosed) {
			t.Errorf("of a closed coordinator: %v", err)
		}
	})
}

// A fetch of stable offsets sees what was asked to be stored before it; any other does not wait (G-274).
func TestStableFetchWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		c := start(t, coordinator.Config{Topics: listedTopics{}, Store: store})
		store.hold = true
		go connect(t, c, "client").commit(nil, "t", 5)
		synctest.Wait()
		stable := make(chan kmsg.OffsetFetchResponseGroupTopicPartition, 1)
		go func() { stable <- fetched(t, c, "g", true) }()
		synctest.Wait()
		if p := fetched(t, c, "g", false); p.Offset != -1 || len(stable) > 0 {
			t.Errorf("before the offset is stored: %+v, stable answered: %v", p, len(stable) > 0)
		}
		store.finish(nil)
		if p := <-stable; p.Offset != 5 {
			t.Errorf("stable: %+v", p)
		}
	})
}

func TestTransactionsThatAreLeftAreListed(t *testing.T) {
	c := start(t, coordinator.Config{Topics: listedTopics{}})
	for producer, groups := range map[int64][]string{9: {"g", "h"}, 7: {"g"}} {
		for _, group := range groups {
			handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(producer, group, -1, ""))
		}
	}
	for _, want := range []string{"[7 9]", "[9]", "[]"} {
		left, err := c.PendingTransactions(t.Context())
		if err != nil || fmt.Sprint(left) != want {
			t.Errorf("left are %v, want %s (%v)", left, want, err)
		}
		if len(left) > 0 {
			endTransaction(t, c, left[0], false)
		}
	}
}
