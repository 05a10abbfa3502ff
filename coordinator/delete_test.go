package coordinator_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// deleteRequest is an OffsetDelete of partitions 0 to 2 of each topic.
func deleteRequest(group string, topics ...string) *kmsg.OffsetDeleteRequest {
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	for _, name := range topics {
		topic := kmsg.NewOffsetDeleteRequestTopic()
		topic.Topic = name
		for number := range int32(3) {
			p := kmsg.NewOffsetDeleteRequestTopicPartition()
			p.Partition = number
			topic.Partitions = append(topic.Partitions, p)
		}
		req.Topics = append(req.Topics, topic)
	}
	return req
}

func TestOffsetDeleteInEveryVersion(t *testing.T) { // G-198 to G-206
	eachVersion(t, kmsg.OffsetDelete, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		send := func(group string, topics ...string) *kmsg.OffsetDeleteResponse {
			t.Helper()
			return handle[*kmsg.OffsetDeleteResponse](t, c, version, deleteRequest(group, topics...))
		}
		for _, topics := range [][]string{{"t"}, {"nope"}, nil} { // the group is asked whatever is left for it
			resp := send("g", topics...)
			wantCode(t, "no such group", resp.ErrorCode, protocol.GroupIDNotFound)
			if len(resp.Topics) > 0 {
				t.Errorf("no such group: %+v", resp.Topics)
			}
		}
		wantCode(t, "no group id", send("", "t").ErrorCode, protocol.InvalidGroupID)

		check := func(what string, want protocol.ErrorCode) {
			t.Helper()
			resp := send("g", "nope", "t")
			wantCode(t, what, resp.ErrorCode, protocol.None)
			wantCode(t, what+", no such topic", resp.Topics[0].Partitions[0].ErrorCode, protocol.UnknownTopicOrPartition)
			wantCode(t, what, resp.Topics[1].Partitions[0].ErrorCode, want)
			wantCode(t, what, resp.Topics[1].Partitions[1].ErrorCode, want)
			wantCode(t, what+", no such partition", resp.Topics[1].Partitions[2].ErrorCode, protocol.UnknownTopicOrPartition)
		}
		handle[*kmsg.OffsetCommitResponse](t, c, 9, commitRequest(-1, ""))
		check("simple", protocol.None)
		if got := connect(t, c, "client").committed("t"); got != -1 {
			t.Errorf("offset %d is left", got)
		}
		joined := connect(t, c, "client").stable() // its metadata does not tell what it subscribes to
		check("of members", protocol.GroupSubscribedToTopic)

		leave := kmsg.NewPtrLeaveGroupRequest()
		leave.Group, leave.MemberID = "g", joined.MemberID
		wantCode(t, "leave", handle[*kmsg.LeaveGroupResponse](t, c, 2, leave).ErrorCode, protocol.None)
		check("of nobody any more", protocol.None)
	})
}

func TestOffsetsOfMembersThatAreNoConsumersAreNotDeleted(t *testing.T) { // G-201, G-206
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{Topics: listedTopics{}})
		worker := joinRequest("")
		worker.ProtocolType = "connect"
		wantCode(t, "join", handle[*kmsg.JoinGroupResponse](t, c, 3, worker).ErrorCode, protocol.None)
		resp := handle[*kmsg.OffsetDeleteResponse](t, c, 0, deleteRequest("g", "t", "nope"))
		wantCode(t, "of members", resp.ErrorCode, protocol.NonEmptyGroup)
		if len(resp.Topics) > 0 {
			t.Errorf("answered %+v", resp.Topics)
		}
	})
}

func TestDeleteGroupsInEveryVersion(t *testing.T) { // G-187 to G-192
	eachVersion(t, kmsg.DeleteGroups, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		connect(t, c, "client").stable()
		for _, id := range []string{"simple", ""} {
			commit := commitRequest(-1, "")
			commit.Group = id
			handle[*kmsg.OffsetCommitResponse](t, c, 9, commit)
		}
		req := kmsg.NewPtrDeleteGroupsRequest()
		req.Groups = []string{"simple", "g", "nope", "", "simple", "g"}
		var got []string
		for _, g := range handle[*kmsg.DeleteGroupsResponse](t, c, version, req).Groups {
			got = append(got, fmt.Sprintf("%q %s", g.Group, protocol.ErrorCode(g.ErrorCode).String()))
			if g.ErrorMessage != nil {
				t.Errorf("%s: %q", g.Group, *g.ErrorMessage)
			}
		}
		if want := []string{`"simple" NONE`, `"g" NON_EMPTY_GROUP`, `"nope" GROUP_ID_NOT_FOUND`, `"" NONE`}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("answered %v, want %v", got, want)
		}
		list := handle[*kmsg.ListGroupsResponse](t, c, 4, kmsg.NewPtrListGroupsRequest())
		if len(list.Groups) != 1 || list.Groups[0].Group != "g" {
			t.Errorf("left: %+v", list.Groups)
		}
	})
}

func TestGroupThatTheStoreKeepsIsNotDeleted(t *testing.T) { // G-193
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		c := start(t, coordinator.Config{Store: store})
		p := connect(t, c, "client")
		p.commit(nil, "t", 5)
		store.hold = true
		deleted := make(chan int16, 1)
		go func() {
			req := kmsg.NewPtrDeleteGroupsRequest()
			req.Groups = []string{"g"}
			deleted <- handle[*kmsg.DeleteGroupsResponse](t, c, 3, req).Groups[0].ErrorCode
		}()
		synctest.Wait()
		if got := p.committed("t"); got != 5 || len(deleted) > 0 {
			t.Errorf("offset %d before the store has answered, deleted: %v", got, len(deleted) > 0)
		}
		store.finish(coordinator.ErrRefused)
		wantCode(t, "refused", <-deleted, protocol.CoordinatorNotAvailable)
		if got := p.committed("t"); got != 5 {
			t.Errorf("offset %d", got)
		}
	})
}

func TestDeletedGroupStaysDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := coordinator.Config{Topics: listedTopics{}, Store: coordinator.NewMemoryStore()}
		c := start(t, config)
		handle[*kmsg.OffsetCommitResponse](t, c, 9, commitRequest(-1, ""))
		handle[*kmsg.TxnOffsetCommitResponse](t, c, 5, inTransaction(7, "g", -1, ""))
		req := kmsg.NewPtrDeleteGroupsRequest()
		req.Groups = []string{"g"}
		wantCode(t, "deleted", handle[*kmsg.DeleteGroupsResponse](t, c, 3, req).Groups[0].ErrorCode, protocol.None)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = start(t, config)
		endTransaction(t, c, 7, true)
		wantCode(t, "deleted again", handle[*kmsg.DeleteGroupsResponse](t, c, 3, req).Groups[0].ErrorCode, protocol.GroupIDNotFound)
	})
}
