package coordinator_test

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// A server reads requests without copying: their strings and bytes are parts of the frame. Whatever a group kept as it
// came would keep its whole frame, and a client decides how large that is.
func TestGroupsDoNotKeepTheRequestsThatTheyLearnFrom(t *testing.T) {
	c := start(t, coordinator.Config{})
	frames := map[string]weak.Pointer[byte]{}
	send := func(what string, version int16, req kmsg.Request) kmsg.Response {
		t.Helper()
		req.SetVersion(version)
		frame := req.AppendTo(nil)
		frames[what] = weak.Make(&frame[0])
		decoded, err := protocol.DecodeRequest(req.Key(), version, frame)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Handle(t.Context(), coordinator.Peer{ClientID: "client"}, decoded)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	join := joinRequest("")
	join.Reason = new(strings.Repeat("r", 1000))
	pending := send("first join", 9, join).(*kmsg.JoinGroupResponse)
	join.MemberID = strings.Clone(pending.MemberID)
	joined := send("join", 9, join).(*kmsg.JoinGroupResponse)
	sync := send("sync", 5, syncRequest(joined)).(*kmsg.SyncGroupResponse)
	if sync.ErrorCode != 0 {
		t.Fatal(sync)
	}
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Group, commit.MemberID, commit.Generation = "g", joined.MemberID, joined.Generation
	topic, partition := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
	partition.Metadata = new("where I was")
	topic.Topic, topic.Partitions = "t", append(topic.Partitions, partition)
	commit.Topics = append(commit.Topics, topic)
	send("commit", 9, commit)
	static := joinRequest("")
	static.Group, static.InstanceID = "static", new("instance")
	send("static join", 9, static)

	runtime.GC()
	for what, frame := range frames {
		if frame.Value() != nil {
			t.Errorf("the frame of the %s is kept", what)
		}
	}
	runtime.KeepAlive(c)
}
