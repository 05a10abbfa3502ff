package protocol

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func ptr[T any](v T) *T { return &v }

// people names the ids that the tests use.
var people = Transcript{
	Member: func(id string) string {
		return map[string]string{"a-1": "$A", "b-2": "$B"}[id]
	},
	Group: func(id string) string { return strings.TrimPrefix(id, "prefix-") },
	Topic: func(id [16]byte) string {
		if id == [16]byte{1} {
			return "orders"
		}
		return ""
	},
	Producer: func(id int64) string { return map[int64]string{7: "$P"}[id] },
}

func subscription(edit func(*Subscription), topics ...string) []byte {
	s := NewSubscription(topics...)
	if edit != nil {
		edit(&s)
	}
	return s.AppendTo(nil)
}

func assigned(partitions ...TopicPartitions) []byte {
	a := NewAssignment(partitions...)
	return a.AppendTo(nil)
}

func TestTranscriptOfRequests(t *testing.T) {
	for _, test := range []struct {
		version int16
		req     kmsg.Request
		want    string
	}{
		{0, &kmsg.JoinGroupRequest{Group: "prefix-g", SessionTimeoutMillis: 10_000, ProtocolType: "consumer"},
			"JoinGroup v0 group=g session=10s type=consumer"},
		{9, &kmsg.JoinGroupRequest{
			Group: "prefix-g", SessionTimeoutMillis: 45_000, RebalanceTimeoutMillis: 300_000, MemberID: "a-1",
			InstanceID: ptr("rack 1"), ProtocolType: "consumer", Reason: ptr("it's time"),
			Protocols: []kmsg.JoinGroupRequestProtocol{
				{Name: "range", Metadata: subscription(nil, "orders", "payments")},
				{Name: "own", Metadata: []byte("hello")},
				{Name: "raw", Metadata: []byte{0, 255}},
				{Name: "none"},
			},
		}, `JoinGroup v9 group=g session=45s rebalance=5m member=$A instance="rack 1" type=consumer ` +
			`protocols=[range:orders,payments own:"hello" raw:0x00ff none:""] reason="it's time"`},
		{5, &kmsg.SyncGroupRequest{
			Group: "g", Generation: 3, MemberID: "stranger", ProtocolType: ptr("consumer"), Protocol: ptr("range"),
			GroupAssignment: []kmsg.SyncGroupRequestGroupAssignment{
				{MemberID: "a-1", MemberAssignment: assigned(TopicPartitions{"orders", []int32{0, 1, 2, 7}})},
				{MemberID: "b-2", MemberAssignment: assigned()},
			},
		}, "SyncGroup v5 group=g gen=3 member=stranger type=consumer protocol=range assignments=[$A:orders/0-2,7 $B:()]"},
		{4, &kmsg.HeartbeatRequest{Group: "g", Generation: -1}, "Heartbeat v4 group=g gen=-1"},
		{2, &kmsg.LeaveGroupRequest{Group: "g", MemberID: "a-1"}, "LeaveGroup v2 group=g member=$A"},
		{5, &kmsg.LeaveGroupRequest{Group: "g", Members: []kmsg.LeaveGroupRequestMember{
			{MemberID: "a-1", Reason: ptr("bye")}, {InstanceID: ptr("i")},
		}}, `LeaveGroup v5 group=g members=[$A(reason=bye) ""(instance=i)]`},
		{8, &kmsg.OffsetCommitRequest{
			Group: "g", Generation: 1, MemberID: "a-1", RetentionTimeMillis: -1,
			Topics: []kmsg.OffsetCommitRequestTopic{{Topic: "orders", Partitions: []kmsg.OffsetCommitRequestTopicPartition{
				{Partition: 0, Offset: 42, LeaderEpoch: -1}, {Partition: 1, Offset: -1, LeaderEpoch: 7, Metadata: ptr("")},
			}}},
		}, `OffsetCommit v8 group=g gen=1 member=$A offsets=[orders/0@42 orders/1@-1(epoch=7 metadata="")]`},
		{4, &kmsg.OffsetCommitRequest{Group: "g", Generation: -1, RetentionTimeMillis: 5_400_000},
			"OffsetCommit v4 group=g retention=1h30m offsets=[]"},
		{7, &kmsg.OffsetFetchRequest{Group: "g", RequireStable: true}, "OffsetFetch v7 group=g topics=all stable=true"},
		{7, &kmsg.OffsetFetchRequest{Group: "g", Topics: []kmsg.OffsetFetchRequestTopic{}}, "OffsetFetch v7 group=g topics=[]"},
		{9, &kmsg.OffsetFetchRequest{Groups: []kmsg.OffsetFetchRequestGroup{
			{Group: "g", MemberEpoch: -1, Topics: []kmsg.OffsetFetchRequestGroupTopic{{Topic: "orders", Partitions: []int32{3, 1}}}},
			{Group: "h", MemberEpoch: 4, MemberID: ptr("a-1")},
		}}, "OffsetFetch v9 groups=[g(topics=[orders/3,1]) h(member=$A epoch=4 topics=all)]"},
		{10, &kmsg.OffsetFetchRequest{Groups: []kmsg.OffsetFetchRequestGroup{
			{Group: "g", MemberEpoch: -1, Topics: []kmsg.OffsetFetchRequestGroupTopic{{TopicID: [16]byte{1}}, {TopicID: [16]byte{2}}}},
		}}, "OffsetFetch v10 groups=[g(topics=[orders/ AgAAAAAAAAAAAAAAAAAAAA/])]"},
		{5, &kmsg.DescribeGroupsRequest{Groups: []string{"prefix-g", ""}}, `DescribeGroups v5 groups=[g ""]`},
		{5, &kmsg.ListGroupsRequest{StatesFilter: []string{"Stable"}}, "ListGroups v5 states=[Stable]"},
		{3, &kmsg.DeleteGroupsRequest{Groups: []string{"prefix-g", ""}}, `DeleteGroups v3 groups=[g ""]`},
		{0, &kmsg.OffsetDeleteRequest{Group: "prefix-g", Topics: []kmsg.OffsetDeleteRequestTopic{{Topic: "orders",
			Partitions: []kmsg.OffsetDeleteRequestTopicPartition{{Partition: 0}, {Partition: 1}}}}}, "OffsetDelete v0 group=g topics=[orders/0-1]"},
		{0, &kmsg.FindCoordinatorRequest{CoordinatorKey: "prefix-g"}, "FindCoordinator v0 key=g"},
		{0, &kmsg.ApiVersionsRequest{}, "ApiVersions v0"},
		{3, &kmsg.ApiVersionsRequest{ClientSoftwareName: "joinsync", ClientSoftwareVersion: "1"}, "ApiVersions v3 software=joinsync version=1"},
		{4, &kmsg.FindCoordinatorRequest{CoordinatorType: 1, CoordinatorKeys: []string{"t", "u"}}, "FindCoordinator v4 type=1 keys=[t u]"},
		{1, &kmsg.InitProducerIDRequest{TransactionalID: ptr("prefix-t"), TransactionTimeoutMillis: 60_000, ProducerID: -1}, "InitProducerID v1 txn=t timeout=1m"},
		{3, &kmsg.InitProducerIDRequest{TransactionTimeoutMillis: 1, ProducerID: 7, ProducerEpoch: 3}, "InitProducerID v3 timeout=1ms producer=$P epoch=3"},
		{3, &kmsg.AddOffsetsToTxnRequest{TransactionalID: "t", ProducerID: 8, Group: "prefix-g"}, "AddOffsetsToTxn v3 txn=t producer=8 epoch=0 group=g"},
		{3, &kmsg.EndTxnRequest{TransactionalID: "t", ProducerID: 7, Commit: true}, "EndTxn v3 txn=t producer=$P epoch=0 commit=true"},
		{5, &kmsg.TxnOffsetCommitRequest{
			TransactionalID: "t", ProducerID: 7, Group: "g", Generation: 1, MemberID: "a-1", InstanceID: ptr("i"),
			Topics: []kmsg.TxnOffsetCommitRequestTopic{{Topic: "orders", Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{
				{Offset: 42, LeaderEpoch: 5, Metadata: ptr("note")}}}},
		}, "TxnOffsetCommit v5 txn=t producer=$P epoch=0 group=g gen=1 member=$A instance=i offsets=[orders/0@42(epoch=5 metadata=note)]"},
		{6, &kmsg.TxnOffsetCommitRequest{TransactionalID: "t", Generation: -1, Topics: []kmsg.TxnOffsetCommitRequestTopic{{TopicID: [16]byte{1},
			Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{{LeaderEpoch: -1}}}}},
			`TxnOffsetCommit v6 txn=t producer=0 epoch=0 group="" offsets=[orders/0@0]`},
		{12, &kmsg.MetadataRequest{}, "Metadata v12"},
	} {
		test.req.SetVersion(test.version)
		if got := people.Request(test.req); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestTranscriptOfResponses(t *testing.T) {
	for _, test := range []struct {
		version int16
		resp    kmsg.Response
		want    string
	}{
		{9, &kmsg.JoinGroupResponse{ErrorCode: 79, Generation: -1, MemberID: "a-1"}, "MEMBER_ID_REQUIRED member=$A"},
		{9, &kmsg.JoinGroupResponse{
			Generation: 3, ProtocolType: ptr("consumer"), Protocol: ptr("range"), LeaderID: "a-1", MemberID: "a-1",
			SkipAssignment: true, ThrottleMillis: 5, Members: []kmsg.JoinGroupResponseMember{
				{MemberID: "a-1", ProtocolMetadata: subscription(nil, "orders")},
				{MemberID: "b-2", InstanceID: ptr("i"), ProtocolMetadata: nil},
			},
		}, `NONE gen=3 type=consumer protocol=range leader=$A member=$A members=[$A:orders $B(instance=i):""] skip=true`},
		{6, &kmsg.JoinGroupResponse{ErrorCode: 25, Generation: -1, Protocol: ptr("")}, "UNKNOWN_MEMBER_ID"},
		{7, &kmsg.JoinGroupResponse{ErrorCode: 25, Generation: -1, Protocol: ptr("")}, `UNKNOWN_MEMBER_ID protocol=""`},
		{5, &kmsg.SyncGroupResponse{ErrorCode: 27}, "REBALANCE_IN_PROGRESS"},
		{5, &kmsg.SyncGroupResponse{ProtocolType: ptr("connect"), Protocol: ptr("eager"), MemberAssignment: []byte("work")},
			`NONE type=connect protocol=eager assignment="work"`},
		{4, &kmsg.HeartbeatResponse{ErrorCode: 1234}, "ERROR_CODE_1234"},
		{4, &kmsg.LeaveGroupResponse{Members: []kmsg.LeaveGroupResponseMember{{MemberID: "a-1", ErrorCode: 25}}},
			"NONE members=[$A:UNKNOWN_MEMBER_ID]"},
		{8, &kmsg.OffsetCommitResponse{Topics: []kmsg.OffsetCommitResponseTopic{{Topic: "orders",
			Partitions: []kmsg.OffsetCommitResponseTopicPartition{{Partition: 0}, {Partition: 1}, {Partition: 2, ErrorCode: 12}}}}},
			"offsets=[orders/0-1:NONE orders/2:OFFSET_METADATA_TOO_LARGE]"},
		{7, &kmsg.OffsetFetchResponse{Topics: []kmsg.OffsetFetchResponseTopic{{Topic: "orders",
			Partitions: []kmsg.OffsetFetchResponseTopicPartition{
				{Partition: 0, Offset: 42, LeaderEpoch: 7, Metadata: ptr("a note")},
				{Partition: 1, Offset: -1, LeaderEpoch: -1, ErrorCode: 88},
			}}}}, `NONE offsets=[orders/0@42(epoch=7 metadata="a note") orders/1@-1(metadata=null):UNSTABLE_OFFSET_COMMIT]`},
		{8, &kmsg.OffsetFetchResponse{Groups: []kmsg.OffsetFetchResponseGroup{{Group: "prefix-g", ErrorCode: 24}}},
			"groups=[g:INVALID_GROUP_ID()]"},
		{5, &kmsg.DescribeGroupsResponse{Groups: []kmsg.DescribeGroupsResponseGroup{
			{Group: "g", State: "Stable", ProtocolType: "consumer", Protocol: "range",
				Members: []kmsg.DescribeGroupsResponseGroupMember{{MemberID: "a-1", ClientID: "c", ClientHost: "/127.0.0.1",
					MemberAssignment: assigned(TopicPartitions{"orders", []int32{0}})}}},
			{Group: "h", State: "Dead", ErrorCode: 69, ErrorMessage: ptr("Group h not found.")},
		}}, "groups=[g:NONE(state=Stable type=consumer protocol=range members=[$A(client=c assignment=orders/0)]) " +
			`h:GROUP_ID_NOT_FOUND(message="Group h not found." state=Dead)]`},
		{5, &kmsg.ListGroupsResponse{Groups: []kmsg.ListGroupsResponseGroup{
			{Group: "prefix-g", ProtocolType: "consumer", GroupState: "Empty", GroupType: "classic"}, {Group: "h"}}},
			"NONE groups=[g(type=consumer state=Empty kind=classic) h]"},
		{3, &kmsg.DeleteGroupsResponse{Groups: []kmsg.DeleteGroupsResponseGroup{{Group: "prefix-g"}, {Group: "h", ErrorCode: 69, ErrorMessage: ptr("gone")}}},
			"groups=[g:NONE h:GROUP_ID_NOT_FOUND(message=gone)]"},
		{0, &kmsg.OffsetDeleteResponse{Topics: []kmsg.OffsetDeleteResponseTopic{{Topic: "orders",
			Partitions: []kmsg.OffsetDeleteResponseTopicPartition{{Partition: 0}, {Partition: 1, ErrorCode: 86}}}}},
			"NONE offsets=[orders/0:NONE orders/1:GROUP_SUBSCRIBED_TO_TOPIC]"},
		{0, &kmsg.OffsetDeleteResponse{ErrorCode: 69}, "GROUP_ID_NOT_FOUND"},
		{0, &kmsg.ApiVersionsResponse{ErrorCode: 35}, "UNSUPPORTED_VERSION"},
		{3, &kmsg.ApiVersionsResponse{ApiKeys: []kmsg.ApiVersionsResponseApiKey{{ApiKey: 8, MinVersion: 2, MaxVersion: 10}}}, "NONE apis=[OffsetCommit:2-10]"},
		{1, &kmsg.FindCoordinatorResponse{NodeID: 1, Host: "broker", Port: 9092}, "NONE node=1@broker:9092"},
		{3, &kmsg.FindCoordinatorResponse{ErrorCode: 15, ErrorMessage: ptr(""), NodeID: -1, Port: -1}, `COORDINATOR_NOT_AVAILABLE message=""`},
		{4, &kmsg.FindCoordinatorResponse{Coordinators: []kmsg.FindCoordinatorResponseCoordinator{
			{Key: "prefix-g", NodeID: 1, Host: "broker", Port: 9092}, {Key: "h", ErrorCode: 42, NodeID: -1, Port: -1}}},
			"keys=[g:NONE(node=1@broker:9092) h:INVALID_REQUEST]"},
		{3, &kmsg.InitProducerIDResponse{ProducerID: 7, ProducerEpoch: 1}, "NONE producer=$P epoch=1"},
		{3, &kmsg.InitProducerIDResponse{ErrorCode: 51, ProducerID: -1, ProducerEpoch: -1}, "CONCURRENT_TRANSACTIONS"},
		{3, &kmsg.AddOffsetsToTxnResponse{ErrorCode: 48}, "INVALID_TXN_STATE"},
		{4, &kmsg.EndTxnResponse{}, "NONE"},
		{5, &kmsg.EndTxnResponse{ProducerID: 7, ProducerEpoch: 2}, "NONE producer=$P epoch=2"},
		{5, &kmsg.TxnOffsetCommitResponse{Topics: []kmsg.TxnOffsetCommitResponseTopic{{Topic: "orders",
			Partitions: []kmsg.TxnOffsetCommitResponseTopicPartition{{Partition: 0, ErrorCode: 22}, {Partition: 1, ErrorCode: 22}, {Partition: 1}}}}},
			"offsets=[orders/0-1:ILLEGAL_GENERATION orders/1:NONE]"},
		{12, &kmsg.MetadataResponse{}, "Metadata"},
	} {
		test.resp.SetVersion(test.version)
		if got := people.Response(test.resp); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestTranscriptOfMemberMetadata(t *testing.T) {
	for want, b := range map[string][]byte{
		"orders":            subscription(nil, "orders"),
		"()":                subscription(nil),
		`"a b"()`:           subscription(nil, "a b"),
		`"a b",orders()`:    subscription(nil, "orders", "a b"),
		"orders(v=0)":       subscription(func(s *Subscription) { s.Version = 0 }, "orders"),
		"(gen=4 rack=east)": subscription(func(s *Subscription) { s.Generation, s.Rack = 4, "east" }),
		`orders(owned=orders/0-1,payments/3 user="x")`: subscription(func(s *Subscription) {
			s.Owned = []TopicPartitions{{"orders", []int32{0, 1}}, {"payments", []int32{3}}}
			s.UserData = []byte("x")
		}, "orders"),
		`"orders"`:             []byte("orders"),
		`""`:                   nil,
		"0x0003":               {0, 3},
		`"{\"streams\": 3}"`:   []byte(`{"streams": 3}`),
		`0x0909000000000000ff`: {9, 9, 0, 0, 0, 0, 0, 0, 255}, // of a version that we do not know
	} {
		if got := metadataText(b); got != want {
			t.Errorf("%x: got %s, want %s", b, got, want)
		}
	}
}

func TestTranscriptShowsBytesLeftOverAsBytes(t *testing.T) {
	b := append(subscription(nil, "orders"), 0)
	if got := metadataText(b); !strings.HasPrefix(got, "0x") {
		t.Errorf("got %s, want the bytes", got)
	}
}

func TestTranscriptIsShortWhateverAPeerSends(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	metadata := []byte(long)
	join := &kmsg.JoinGroupRequest{Version: 9, Group: long, Reason: &long, MemberID: long}
	for range 10_000 {
		join.Protocols = append(join.Protocols, kmsg.JoinGroupRequestProtocol{Name: long, Metadata: metadata})
	}
	commit := &kmsg.OffsetCommitRequest{Version: 8}
	for range 1000 {
		topic := kmsg.OffsetCommitRequestTopic{Topic: long}
		topic.Partitions = make([]kmsg.OffsetCommitRequestTopicPartition, 1000)
		commit.Topics = append(commit.Topics, topic)
	}
	for _, req := range []kmsg.Request{join, commit} {
		if got := (Transcript{}).Request(req); len(got) > 100_000 {
			t.Errorf("%s has a line of %d bytes", kmsg.NameForKey(req.Key()), len(got))
		}
	}
	if got := partitionsText(make([]int32, 1_000_000)); len(got) > 1000 {
		t.Errorf("partitions have a text of %d bytes", len(got))
	}
	if got, want := quote(strings.Repeat("x", 300)), `"`+strings.Repeat("x", 100)+`"…300`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// No bytes of a peer may make a transcript panic.
func FuzzTranscript(f *testing.F) {
	f.Add(subscription(nil, "orders"), assigned(TopicPartitions{"orders", []int32{0}}))
	f.Fuzz(func(t *testing.T, metadata, assignment []byte) {
		if metadataText(metadata) == "" || assignmentText(assignment) == "" {
			t.Error("bytes have no text")
		}
	})
}
