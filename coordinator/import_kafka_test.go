package coordinator_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

var keepLogs = flag.Bool("keeplogs", false, "keep the logs and the answers of the real Kafkas in testdata/consumer-offsets")

// TestImportedGroupsAreThoseOfKafka has a real Kafka keep groups and offsets of every kind, imports its log, and asks both
// coordinators for everything. What the two say must be the same, before the open transactions end and after.
func TestImportedGroupsAreThoseOfKafka(t *testing.T) { // G-209, G-291 to G-295, G-311, G-314, G-326 to G-333, G-341
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			broker := kafkatest.Start(t, version, kafkatest.Private())
			k := &kafka{t: t, addr: broker.Addr(), topic: "orders"}
			k.dial()
			k.createTopic()
			k.liveAGroup()
			k.keepAndDeleteOffsets()
			open := k.transact()

			logs := k.offsetsLogs()
			c, _ := importing(t, logs...)
			want := everything(t, k.client)
			if got := everything(t, askable{c}); got != want {
				t.Fatalf("Kafka answers\n%s\nours answers\n%s", want, got)
			}
			if *keepLogs {
				keep(t, filepath.Join("testdata/consumer-offsets", string(version)), logs, want)
			}
			for _, p := range open {
				k.end(p, true)
				if err := c.EndTransaction(t.Context(), p.id, true); err != nil {
					t.Error(err)
				}
			}
			want = everything(t, k.client)
			if got := everything(t, askable{c}); got != want {
				t.Errorf("after the transactions Kafka answers\n%s\nours answers\n%s", want, got)
			}
		})
	}
}

func keep(t *testing.T, folder string, logs [][]byte, answers string) {
	t.Helper()
	files := map[string][]byte{"answers.txt": []byte(answers)}
	for i, log := range logs {
		files[fmt.Sprintf("%d.log", i)] = log
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kafka is a real broker, asked by hand.
type kafka struct {
	t      *testing.T
	addr   string
	topic  string
	client *kgo.Client
}

// dial connects in the versions of Kafka 3.8: topics by name, and transactions that do not know each group by
// themselves.
func (k *kafka) dial() {
	k.t.Helper()
	versions := kversion.V3_8_0()
	for key, version := range askedVersions {
		versions.SetMaxKeyVersion(key.Int16(), version)
	}
	versions.SetMaxKeyVersion(kmsg.Fetch.Int16(), 12)
	client, err := kgo.NewClient(kgo.SeedBrokers(k.addr), kgo.ClientID("import"), kgo.MaxVersions(versions))
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(client.Close)
	k.client = client
}

// request sends a request and returns its answer, in which codes finds every error.
func request[R kmsg.Response](k *kafka, req kmsg.Request, codes func(R) []int16) R {
	k.t.Helper()
	resp, err := k.client.Request(k.t.Context(), req)
	if err != nil {
		k.t.Fatalf("%T: %v", req, err)
	}
	for _, code := range codes(resp.(R)) {
		if code != 0 {
			k.t.Fatalf("%T: %v", req, protocol.ErrorCode(code))
		}
	}
	return resp.(R)
}

func (k *kafka) createTopic() {
	req := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = k.topic, 4, 1
	req.Topics = append(req.Topics, topic)
	request(k, req, func(r *kmsg.CreateTopicsResponse) []int16 { return []int16{r.Topics[0].ErrorCode} })
	metadata := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = &k.topic
	metadata.Topics = append(metadata.Topics, asked)
	for ready := false; !ready; {
		resp, err := k.client.Request(k.t.Context(), metadata)
		if err != nil {
			k.t.Fatal(err)
		}
		found := resp.(*kmsg.MetadataResponse).Topics[0]
		ready = found.ErrorCode == 0 && len(found.Partitions) == 4
		for _, p := range found.Partitions {
			ready = ready && p.ErrorCode == 0
		}
		k.pause(!ready)
	}
}

// pause waits a moment for the broker if it is not ready.
func (k *kafka) pause(wait bool) {
	if !wait {
		return
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-k.t.Context().Done():
		k.t.Fatal("the broker does not get ready")
	}
}

func (k *kafka) join(group, member string, instance *string) *kmsg.JoinGroupResponse {
	k.t.Helper()
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.InstanceID, req.ProtocolType = group, member, instance, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 300_000, 60_000
	subscription := protocol.NewSubscription()
	subscription.Topics = []string{k.topic}
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = "range", subscription.AppendTo(nil)
	req.Protocols = append(req.Protocols, p)
	resp, err := k.client.Request(k.t.Context(), req)
	if err != nil {
		k.t.Fatal(err)
	}
	joined := resp.(*kmsg.JoinGroupResponse)
	switch code := protocol.ErrorCode(joined.ErrorCode); code {
	case protocol.None:
	case protocol.MemberIDRequired:
		return k.join(group, joined.MemberID, instance)
	default:
		k.t.Fatalf("join: %v", code)
	}
	return joined
}

func (k *kafka) sync(group string, joined *kmsg.JoinGroupResponse, instance *string) {
	k.t.Helper()
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = group, joined.MemberID, instance, joined.Generation
	req.ProtocolType, req.Protocol = new("consumer"), joined.Protocol
	for i, m := range joined.Members {
		assignment := protocol.NewAssignment()
		assignment.Partitions = []protocol.TopicPartitions{{Topic: k.topic, Partitions: []int32{int32(i)}}}
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = m.MemberID, assignment.AppendTo(nil)
		req.GroupAssignment = append(req.GroupAssignment, a)
	}
	request(k, req, func(r *kmsg.SyncGroupResponse) []int16 { return []int16{r.ErrorCode} })
}

// liveAGroup leaves one group Stable, with a static member that has come back and a dynamic one, and one Empty. Both have
// offsets.
func (k *kafka) liveAGroup() {
	k.t.Helper()
	instance := new("instance")
	static := k.join("stable", "", instance)
	k.sync("stable", static, instance)
	second := &kafka{t: k.t, addr: k.addr, topic: k.topic} // requests of one client would wait for each other
	second.dial()
	joined := make(chan *kmsg.JoinGroupResponse)
	go func() { joined <- second.join("stable", "", nil) }()
	for parked := false; !parked; k.pause(!parked) {
		beat := kmsg.NewPtrHeartbeatRequest()
		beat.Group, beat.MemberID, beat.InstanceID, beat.Generation = "stable", static.MemberID, instance, static.Generation
		resp, err := k.client.Request(k.t.Context(), beat)
		if err != nil {
			k.t.Fatal(err)
		}
		parked = protocol.ErrorCode(resp.(*kmsg.HeartbeatResponse).ErrorCode) == protocol.RebalanceInProgress
	}
	static = k.join("stable", static.MemberID, instance)
	dynamic := <-joined
	k.sync("stable", static, instance)
	second.sync("stable", dynamic, nil)
	k.commit("stable", dynamic, 0, 1)
	static = k.join("stable", "", instance) // takes its place again, with a new id
	static.Members = nil
	k.sync("stable", static, instance)

	gone := k.join("empty", "", nil)
	k.sync("empty", gone, nil)
	k.commit("empty", gone, 2, 3)
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group = "empty"
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID = gone.MemberID
	leave.Members = append(leave.Members, member)
	request(k, leave, func(r *kmsg.LeaveGroupResponse) []int16 { return []int16{r.ErrorCode, r.Members[0].ErrorCode} })
}

// commit commits ten times its number for each partition.
func (k *kafka) commit(group string, as *kmsg.JoinGroupResponse, partitions ...int32) {
	k.t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group = group
	if as != nil {
		req.MemberID, req.Generation = as.MemberID, as.Generation
	}
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic = k.topic
	for _, number := range partitions {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = number, 10*int64(number), 0, new(fmt.Sprint("note ", number))
		topic.Partitions = append(topic.Partitions, p)
	}
	req.Topics = append(req.Topics, topic)
	request(k, req, func(r *kmsg.OffsetCommitResponse) []int16 { return []int16{r.Topics[0].Partitions[0].ErrorCode} })
}

func (k *kafka) deleteOffset(group string, partition int32) {
	k.t.Helper()
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	topic := kmsg.NewOffsetDeleteRequestTopic()
	topic.Topic = k.topic
	p := kmsg.NewOffsetDeleteRequestTopicPartition()
	p.Partition = partition
	topic.Partitions = append(topic.Partitions, p)
	req.Topics = append(req.Topics, topic)
	request(k, req, func(r *kmsg.OffsetDeleteResponse) []int16 {
		return []int16{r.ErrorCode, r.Topics[0].Partitions[0].ErrorCode}
	})
}

// keepAndDeleteOffsets leaves a group with nothing but offsets, of which some were deleted, and one that was deleted.
func (k *kafka) keepAndDeleteOffsets() {
	k.t.Helper()
	k.commit("simple", nil, 0, 1, 2)
	k.deleteOffset("simple", 1)
	k.commit("deleted", nil, 0)
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = []string{"deleted"}
	request(k, req, func(r *kmsg.DeleteGroupsResponse) []int16 { return []int16{r.Groups[0].ErrorCode} })
}

// producer is one whose transaction has offsets.
type producer struct {
	name  string
	id    int64
	epoch int16
}

// transact leaves offsets of transactions that are over, and some of open ones, which it returns in the order in which
// they are to end.
func (k *kafka) transact() (open []producer) {
	k.t.Helper()
	k.commit("transactions", nil, 0, 1, 2)
	k.end(k.begin("transactions", 0, 100), true)
	k.end(k.begin("transactions", 1, 100), false)
	overtaken := k.begin("transactions", 2, 100)
	k.commit("transactions", nil, 2)
	k.end(overtaken, true)
	first, second := k.begin("transactions", 3, 100), k.begin("transactions", 3, 200)
	k.commit("simple", nil, 3) // without this 3.9.2 forgets the transaction's offset, and its log does not tell
	struck := k.begin("simple", 3, 100)
	k.deleteOffset("simple", 3)
	alone := k.begin("only in a transaction", 0, 100)
	again := k.begin("empty", 2, 100)
	return []producer{second, first, struck, alone, again}
}

// begin begins a transaction with one offset.
func (k *kafka) begin(group string, partition int32, offset int64) producer {
	k.t.Helper()
	p := producer{name: fmt.Sprint(group, "-", partition, "-", offset)}
	init := kmsg.NewPtrInitProducerIDRequest()
	init.TransactionalID, init.TransactionTimeoutMillis = &p.name, 600_000
	made := request(k, init, func(r *kmsg.InitProducerIDResponse) []int16 { return []int16{r.ErrorCode} })
	p.id, p.epoch = made.ProducerID, made.ProducerEpoch
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = p.name, p.id, p.epoch, group
	request(k, add, func(r *kmsg.AddOffsetsToTxnResponse) []int16 { return []int16{r.ErrorCode} })
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.ProducerID, commit.ProducerEpoch, commit.Group = p.name, p.id, p.epoch, group
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = k.topic
	offsets := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	offsets.Partition, offsets.Offset = partition, offset
	topic.Partitions = append(topic.Partitions, offsets)
	commit.Topics = append(commit.Topics, topic)
	request(k, commit, func(r *kmsg.TxnOffsetCommitResponse) []int16 { return []int16{r.Topics[0].Partitions[0].ErrorCode} })
	return p
}

// end ends a transaction and returns when its coordinator has written so to all partitions, the group's among them: until
// then the producer may not begin another one.
func (k *kafka) end(p producer, commit bool) {
	k.t.Helper()
	end := kmsg.NewPtrEndTxnRequest()
	end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = p.name, p.id, p.epoch, commit
	request(k, end, func(r *kmsg.EndTxnResponse) []int16 { return []int16{r.ErrorCode} })
	init := kmsg.NewPtrInitProducerIDRequest()
	init.TransactionalID, init.TransactionTimeoutMillis = &p.name, 600_000
	for done := false; !done; k.pause(!done) {
		resp, err := k.client.Request(k.t.Context(), init)
		if err != nil {
			k.t.Fatal(err)
		}
		switch code := protocol.ErrorCode(resp.(*kmsg.InitProducerIDResponse).ErrorCode); code {
		case protocol.None:
			done = true
		case concurrentTransactions:
		default:
			k.t.Fatalf("end of a transaction: %v", code)
		}
	}
}

const concurrentTransactions protocol.ErrorCode = 51

// offsetsLogs fetches the partitions of __consumer_offsets as they are.
func (k *kafka) offsetsLogs() (logs [][]byte) {
	k.t.Helper()
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MaxBytes, req.SessionEpoch = 1000, 64<<20, -1
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic = "__consumer_offsets"
	const partitions = 4
	for number := range int32(partitions) {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.PartitionMaxBytes = number, 64<<20
		topic.Partitions = append(topic.Partitions, p)
	}
	req.Topics = append(req.Topics, topic)
	resp, err := k.client.Broker(1).Request(k.t.Context(), req)
	if err != nil {
		k.t.Fatal(err)
	}
	logs = make([][]byte, partitions)
	for _, p := range resp.(*kmsg.FetchResponse).Topics[0].Partitions {
		if p.ErrorCode != 0 || endOffset(p.RecordBatches) != p.HighWatermark {
			k.t.Fatalf("partition %d: error %d, fetched up to %d of %d", p.Partition, p.ErrorCode, endOffset(p.RecordBatches), p.HighWatermark)
		}
		logs[p.Partition] = p.RecordBatches
	}
	return logs
}

// endOffset is the offset after the last record of some batches.
func endOffset(batches []byte) (end int64) {
	for len(batches) > 0 {
		end = int64(binary.BigEndian.Uint64(batches)) + int64(binary.BigEndian.Uint32(batches[23:])) + 1
		batches = batches[12+binary.BigEndian.Uint32(batches[8:]):]
	}
	return end
}
