package coordinator_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// handle sends a request of the given version as a server for the network would, and takes the response over the wire.
func handle[R kmsg.Response](t *testing.T, c *coordinator.Coordinator, version int16, req kmsg.Request) R {
	t.Helper()
	req.SetVersion(version)
	resp, err := c.Handle(t.Context(), coordinator.Peer{ClientID: "client", Host: "/127.0.0.1"}, req)
	if err != nil {
		t.Fatalf("%T v%d: %v", req, version, err)
	}
	if resp.GetVersion() != version {
		t.Fatalf("%T v%d is answered in version %d", req, version, resp.GetVersion())
	}
	wire := req.ResponseKind()
	if err := wire.ReadFrom(resp.AppendTo(nil)); err != nil {
		t.Fatalf("%T v%d: the response does not read: %v", req, version, err)
	}
	return wire.(R)
}

// eachVersion runs test for every version of an API that is served, each with a coordinator of its own.
func eachVersion(t *testing.T, key kmsg.Key, test func(t *testing.T, c *coordinator.Coordinator, version int16)) {
	served := protocol.CoordinatorVersions()[key.Int16()]
	for version := served.Min; version <= served.Max; version++ {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, start(t, coordinator.Config{Topics: listedTopics{}}), version) })
		})
	}
}

func wantCode(t *testing.T, what string, got int16, want protocol.ErrorCode) {
	t.Helper()
	if protocol.ErrorCode(got) != want {
		t.Errorf("%s: %v, want %v", what, protocol.ErrorCode(got).String(), want.String())
	}
}

func TestJoinGroupInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.JoinGroup, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		resp := handle[*kmsg.JoinGroupResponse](t, c, version, joinRequest(""))
		if version >= 4 { // KIP-394
			wantCode(t, "join without id", resp.ErrorCode, protocol.MemberIDRequired)
			if resp.Generation != -1 || resp.Protocol != nil && *resp.Protocol != "" {
				t.Errorf("error response %+v", resp) // G-099
			}
			resp = handle[*kmsg.JoinGroupResponse](t, c, version, joinRequest(resp.MemberID))
		}
		wantCode(t, "join", resp.ErrorCode, protocol.None)
		if resp.Generation != 1 || resp.LeaderID != resp.MemberID || len(resp.Members) != 1 || *resp.Protocol != "range" {
			t.Errorf("joined as %+v", resp)
		}
		if hasType := resp.ProtocolType != nil; hasType != (version >= 7) {
			t.Errorf("protocol type %v", resp.ProtocolType) // G-097
		}
	})
}

func TestJoinGroupIsCheckedBeforeItsGroup(t *testing.T) {
	eachVersion(t, kmsg.JoinGroup, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		for name, wrong := range map[string]struct {
			change func(*kmsg.JoinGroupRequest)
			want   protocol.ErrorCode
		}{
			"no group id":              {func(r *kmsg.JoinGroupRequest) { r.Group = "" }, protocol.InvalidGroupID},                          // G-025
			"session timeout too low":  {func(r *kmsg.JoinGroupRequest) { r.SessionTimeoutMillis = 5_999 }, protocol.InvalidSessionTimeout}, // G-026
			"session timeout too high": {func(r *kmsg.JoinGroupRequest) { r.SessionTimeoutMillis = 1_800_001 }, protocol.InvalidSessionTimeout},
			"no protocol type":         {func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "" }, protocol.InconsistentGroupProtocol}, // G-045
			"no protocols":             {func(r *kmsg.JoinGroupRequest) { r.Protocols = nil }, protocol.InconsistentGroupProtocol},
		} {
			req := joinRequest("")
			wrong.change(req)
			resp := handle[*kmsg.JoinGroupResponse](t, c, version, req)
			wantCode(t, name, resp.ErrorCode, wrong.want)
			if resp.MemberID != "" || resp.Generation != -1 {
				t.Errorf("%s: %+v", name, resp)
			}
		}
	})
}

func TestSyncGroupInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.SyncGroup, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		joined := connect(t, c, "client").join()
		req := syncRequest(joined)
		if version >= 5 {
			nameless := syncRequest(joined)
			nameless.Protocol = nil
			resp := handle[*kmsg.SyncGroupResponse](t, c, version, nameless)
			wantCode(t, "sync without protocol name", resp.ErrorCode, protocol.InconsistentGroupProtocol) // G-023
			other := syncRequest(joined)
			other.Protocol = new("roundrobin")
			resp = handle[*kmsg.SyncGroupResponse](t, c, version, other)
			wantCode(t, "sync with another protocol", resp.ErrorCode, protocol.InconsistentGroupProtocol) // G-104
		}
		resp := handle[*kmsg.SyncGroupResponse](t, c, version, req)
		wantCode(t, "sync", resp.ErrorCode, protocol.None)
		if want := "for " + joined.MemberID; string(resp.MemberAssignment) != want {
			t.Errorf("assignment %q, want %q", resp.MemberAssignment, want)
		}
		if hasType := resp.ProtocolType != nil && resp.Protocol != nil; hasType != (version >= 5) {
			t.Errorf("response %+v", resp)
		}
	})
}

func TestHeartbeatInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.Heartbeat, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		joined := connect(t, c, "client").stable()
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group, req.MemberID, req.Generation = "g", joined.MemberID, joined.Generation
		wantCode(t, "heartbeat", handle[*kmsg.HeartbeatResponse](t, c, version, req).ErrorCode, protocol.None)
		req.Generation++
		wantCode(t, "generation", handle[*kmsg.HeartbeatResponse](t, c, version, req).ErrorCode, protocol.IllegalGeneration)
		req.Group = ""
		wantCode(t, "group id", handle[*kmsg.HeartbeatResponse](t, c, version, req).ErrorCode, protocol.InvalidGroupID)
	})
}

func TestLeaveGroupInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.LeaveGroup, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		joined := connect(t, c, "client").stable()
		req := kmsg.NewPtrLeaveGroupRequest()
		req.Group = "g"
		if version < 3 {
			req.MemberID = "nobody"
			resp := handle[*kmsg.LeaveGroupResponse](t, c, version, req)
			wantCode(t, "stranger", resp.ErrorCode, protocol.UnknownMemberID) // G-168
			req.MemberID = joined.MemberID
			wantCode(t, "leave", handle[*kmsg.LeaveGroupResponse](t, c, version, req).ErrorCode, protocol.None)
			return
		}
		for _, id := range []string{"nobody", joined.MemberID} {
			m := kmsg.NewLeaveGroupRequestMember()
			m.MemberID = id
			req.Members = append(req.Members, m)
		}
		resp := handle[*kmsg.LeaveGroupResponse](t, c, version, req)
		wantCode(t, "top level", resp.ErrorCode, protocol.None)
		wantCode(t, "stranger", resp.Members[0].ErrorCode, protocol.UnknownMemberID)
		wantCode(t, "leave", resp.Members[1].ErrorCode, protocol.None)
		if resp.Members[1].MemberID != joined.MemberID { // G-166
			t.Errorf("response %+v", resp)
		}
	})
}

// listedTopics has one topic with an id.
type listedTopics struct{ coordinator.FixedTopics }

var topicID = [16]byte{7}

func (listedTopics) Topic(name string) (coordinator.Topic, bool) {
	return coordinator.Topic{Name: "t", ID: topicID, Partitions: 2}, name == "t"
}

func (listedTopics) TopicByID(id [16]byte) (coordinator.Topic, bool) {
	return coordinator.Topic{Name: "t", ID: topicID, Partitions: 2}, id == topicID
}

func commitRequest(generation int32, member string) *kmsg.OffsetCommitRequest {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = "g", generation, member
	for _, name := range []string{"t", "nope"} {
		topic := kmsg.NewOffsetCommitRequestTopic()
		if topic.Topic = name; name == "t" {
			topic.TopicID = topicID
		}
		for partition := range int32(3) {
			p := kmsg.NewOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = partition, 40+int64(partition), 5, new("note")
			topic.Partitions = append(topic.Partitions, p)
		}
		req.Topics = append(req.Topics, topic)
	}
	return req
}

func TestOffsetCommitInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.OffsetCommit, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		unknown := protocol.UnknownTopicOrPartition
		if version >= 10 {
			unknown = protocol.UnknownTopicID // G-622
		}
		check := func(what string, req *kmsg.OffsetCommitRequest, want protocol.ErrorCode) {
			t.Helper()
			topics := handle[*kmsg.OffsetCommitResponse](t, c, version, req).Topics
			wantCode(t, what, topics[0].Partitions[0].ErrorCode, want) // the group's error is each partition's (G-240)
			wantCode(t, what, topics[0].Partitions[1].ErrorCode, want)
			wantCode(t, what+", no such partition", topics[0].Partitions[2].ErrorCode, protocol.UnknownTopicOrPartition) // G-236
			wantCode(t, what+", no such topic", topics[1].Partitions[0].ErrorCode, unknown)
		}
		want := protocol.IllegalGeneration
		if version >= 9 {
			want = protocol.GroupIDNotFound // G-241
		}
		check("no such group", commitRequest(3, "nobody"), want)
		check("no member needed", commitRequest(-1, ""), protocol.None)
		joined := connect(t, c, "client").stable()
		check("of a member", commitRequest(joined.Generation, joined.MemberID), protocol.None)
		check("of nobody", commitRequest(-1, ""), protocol.UnknownMemberID)

		fetch := kmsg.NewPtrOffsetFetchRequest()
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group = "g"
		fetch.Groups = append(fetch.Groups, g)
		stored := handle[*kmsg.OffsetFetchResponse](t, c, 9, fetch).Groups[0].Topics
		if len(stored) != 1 || len(stored[0].Partitions) != 2 {
			t.Fatalf("stored %+v", stored)
		}
		epoch := int32(5)
		if version < 6 {
			epoch = -1 // G-253
		}
		if p := stored[0].Partitions[1]; p.Offset != 41 || p.LeaderEpoch != epoch || *p.Metadata != "note" {
			t.Errorf("stored %+v", p)
		}
	})
}

func TestOffsetFetchInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.OffsetFetch, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		handle[*kmsg.OffsetCommitResponse](t, c, 9, commitRequest(-1, ""))
		if version < 8 {
			fetchOldForm(t, c, version)
			return
		}
		req := kmsg.NewPtrOffsetFetchRequest()
		for _, topics := range [][]kmsg.OffsetFetchRequestGroupTopic{
			{{Topic: "t", TopicID: topicID, Partitions: []int32{1, 2}}}, nil, {},
		} {
			g := kmsg.NewOffsetFetchRequestGroup()
			g.Group, g.Topics = "g", topics
			req.Groups = append(req.Groups, g)
		}
		groups := handle[*kmsg.OffsetFetchResponse](t, c, version, req).Groups
		if p := groups[0].Topics[0].Partitions; p[0].Offset != 41 || p[1].Offset != -1 || p[1].ErrorCode != 0 { // G-267
			t.Errorf("some: %+v", p)
		}
		if all := groups[1].Topics; len(all) != 1 || len(all[0].Partitions) != 2 || version >= 10 && all[0].TopicID != topicID {
			t.Errorf("all: %+v", all)
		}
		if none := groups[2].Topics; len(none) != 0 { // G-263
			t.Errorf("none: %+v", none)
		}
	})
}

func fetchOldForm(t *testing.T, c *coordinator.Coordinator, version int16) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = "g"
	req.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: "t", Partitions: []int32{1, 2}}}
	resp := handle[*kmsg.OffsetFetchResponse](t, c, version, req)
	if p := resp.Topics[0].Partitions; p[0].Offset != 41 || p[1].Offset != -1 {
		t.Errorf("some: %+v", p)
	}
	if version < 2 {
		return
	}
	req.Topics = nil
	if all := handle[*kmsg.OffsetFetchResponse](t, c, version, req).Topics; len(all) != 1 || len(all[0].Partitions) != 2 {
		t.Errorf("all: %+v", all)
	}
}

func TestDescribeAndListGroupsInEveryVersion(t *testing.T) {
	eachVersion(t, kmsg.DescribeGroups, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		joined := connect(t, c, "client").stable()
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{"g", "nope"}
		groups := handle[*kmsg.DescribeGroupsResponse](t, c, version, req).Groups
		if g := groups[0]; g.State != "Stable" || g.Protocol != "range" || len(g.Members) != 1 ||
			g.Members[0].MemberID != joined.MemberID || string(g.Members[0].ProtocolMetadata) != "topics" {
			t.Errorf("described %+v", g)
		}
		want := protocol.None
		if version >= 6 {
			want = protocol.GroupIDNotFound // G-602
		}
		wantCode(t, "absent group", groups[1].ErrorCode, want)
		if groups[1].State != "Dead" {
			t.Errorf("absent group: %+v", groups[1])
		}
	})
	eachVersion(t, kmsg.ListGroups, func(t *testing.T, c *coordinator.Coordinator, version int16) {
		connect(t, c, "client").stable()
		req := kmsg.NewPtrListGroupsRequest()
		if version >= 4 {
			req.StatesFilter = []string{" stable"} // trimmed (G-183)
		}
		if groups := handle[*kmsg.ListGroupsResponse](t, c, version, req).Groups; len(groups) != 1 || groups[0].Group != "g" {
			t.Errorf("listed %+v", groups)
		}
		if version < 4 {
			return
		}
		req.StatesFilter = []string{"empty"}
		if groups := handle[*kmsg.ListGroupsResponse](t, c, version, req).Groups; len(groups) != 0 {
			t.Errorf("listed %+v", groups)
		}
	})
}

func TestVersionsThatAreNotServedAreRefused(t *testing.T) {
	c := start(t, coordinator.Config{})
	for _, req := range []kmsg.Request{
		&kmsg.OffsetCommitRequest{Version: 1}, &kmsg.OffsetFetchRequest{}, // KIP-896 (G-238, G-264, G-601)
		&kmsg.HeartbeatRequest{Version: 5}, kmsg.NewPtrProduceRequest(),
	} {
		if resp, err := c.Handle(t.Context(), coordinator.Peer{}, req); err == nil {
			t.Errorf("%T is answered with %+v", req, resp)
		}
	}
}

func TestWhatIsAdvertisedIsAnswered(t *testing.T) {
	c := start(t, coordinator.Config{Topics: listedTopics{}})
	for key, versions := range c.Versions() {
		for _, version := range []int16{versions.Min, versions.Max} {
			handle[kmsg.Response](t, c, version, kmsg.RequestForKey(key))
		}
	}
}
