package broker_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/protocol"
)

func create(name string, partitions int32) *kmsg.CreateTopicsRequest {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version = 7
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, -1
	req.Topics = append(req.Topics, topic)
	return req
}

// commit commits an offset to a partition of a topic, by its name or by its id.
func (c *client) commit(topic string, id [16]byte, partition int32) protocol.ErrorCode {
	c.t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Version, req.Group, req.Generation = 9, "g", -1
	if topic == "" {
		req.Version = 10
	}
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = partition, 5
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.TopicID, t.Partitions = topic, id, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp := ask[*kmsg.OffsetCommitResponse](c, req)
	return protocol.ErrorCode(resp.Topics[0].Partitions[0].ErrorCode)
}

func TestGroupsKnowTheTopicsThatClientsMakeAndDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{Topics: map[string]int32{"first": 2}})
		c := w.dial("client")
		if code := c.commit("first", [16]byte{}, 1); code != 0 {
			t.Errorf("a topic of the config: %v", code)
		}
		if code := c.commit("orders", [16]byte{}, 0); code != protocol.UnknownTopicOrPartition {
			t.Errorf("a topic that there is not yet: %v", code)
		}
		made := ask[*kmsg.CreateTopicsResponse](c, create("orders", 3)).Topics[0]
		if made.ErrorCode != 0 {
			t.Fatal(protocol.ErrorCode(made.ErrorCode))
		}
		for _, test := range []struct {
			what      string
			topic     string
			id        [16]byte
			partition int32
			want      protocol.ErrorCode
		}{
			{"the last partition", "orders", [16]byte{}, 2, protocol.None},
			{"a partition too many", "orders", [16]byte{}, 3, protocol.UnknownTopicOrPartition},
			{"by its id", "", made.TopicID, 2, protocol.None},
			{"by no id", "", [16]byte{1}, 0, protocol.UnknownTopicID},
		} {
			if code := c.commit(test.topic, test.id, test.partition); code != test.want {
				t.Errorf("%s: %v, want %v", test.what, code.String(), test.want.String())
			}
		}

		grow := kmsg.NewPtrCreatePartitionsRequest()
		grow.Version = 3
		topic := kmsg.NewCreatePartitionsRequestTopic()
		topic.Topic, topic.Count = "orders", 5
		grow.Topics = append(grow.Topics, topic)
		if resp := ask[*kmsg.CreatePartitionsResponse](c, grow); resp.Topics[0].ErrorCode != 0 {
			t.Fatal(protocol.ErrorCode(resp.Topics[0].ErrorCode))
		}
		if code := c.commit("orders", [16]byte{}, 4); code != 0 {
			t.Errorf("a partition that was added: %v", code)
		}

		for _, remove := range []*kmsg.DeleteTopicsRequest{
			{Version: 6, Topics: []kmsg.DeleteTopicsRequestTopic{{TopicID: made.TopicID}}},
			{Version: 5, TopicNames: []string{"first"}},
		} {
			if resp := ask[*kmsg.DeleteTopicsResponse](c, remove); resp.Topics[0].ErrorCode != 0 {
				t.Fatal(protocol.ErrorCode(resp.Topics[0].ErrorCode))
			}
		}
		for _, name := range []string{"orders", "first"} {
			if code := c.commit(name, [16]byte{}, 0); code != protocol.UnknownTopicOrPartition {
				t.Errorf("%s, which was deleted: %v", name, code)
			}
		}
		if code := c.commit("", made.TopicID, 0); code != protocol.UnknownTopicID {
			t.Errorf("the id of a deleted topic: %v", code)
		}

		ask[*kmsg.CreateTopicsResponse](c, create("orders", 3))
		fetch := kmsg.NewPtrOffsetFetchRequest()
		fetch.Version, fetch.Groups = 8, []kmsg.OffsetFetchRequestGroup{{Group: "g"}}
		if topics := ask[*kmsg.OffsetFetchResponse](c, fetch).Groups[0].Topics; len(topics) > 0 {
			t.Errorf("offsets of deleted topics are still committed: %+v", topics) // G-321
		}
	})
}

func metadata(names ...string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.Version, req.AllowAutoTopicCreation = 12, true
	for _, name := range names {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		req.Topics = append(req.Topics, topic)
	}
	return req
}

func TestMetadataMakesTheTopicsThatItNames(t *testing.T) {
	old := metadata("t")
	old.Version, old.AllowAutoTopicCreation = 3, false // it was not asked in version 3
	careful := metadata("t")
	careful.AllowAutoTopicCreation = false
	for name, test := range map[string]struct {
		config broker.Config
		req    *kmsg.MetadataRequest
		want   int // partitions
	}{
		"by default":                     {broker.Config{}, metadata("t"), 1},
		"with num.partitions":            {broker.Config{DefaultPartitions: 7}, metadata("t"), 7},
		"in an old version":              {broker.Config{}, old, 1},
		"unless the client forbids it":   {broker.Config{}, careful, 0},
		"unless the config forbids it":   {broker.Config{NoAutoCreate: true}, metadata("t"), 0},
		"unless there is no room":        {broker.Config{DefaultPartitions: 7, MaxPartitions: 6}, metadata("t"), 0},
		"unless the name is no good":     {broker.Config{}, metadata("t?"), 0},
		"unless Kafka means it":          {broker.Config{}, metadata("__consumer_offsets"), 0},
		"nor a topic without a name":     {broker.Config{}, metadata(""), 0},
		"nor one whose name is too long": {broker.Config{}, metadata(strings.Repeat("x", 250)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := start(t, test.config)
				resp := ask[*kmsg.MetadataResponse](w.dial("client"), test.req)
				if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != test.want {
					t.Errorf("%+v", resp.Topics)
				}
				if resp.Brokers[0].Host != "127.0.0.1" || resp.Brokers[0].Port != 9092 || len(resp.Brokers) != 1 {
					t.Errorf("%+v", resp.Brokers)
				}
			})
		})
	}
}

func TestTopicsThatKafkaOrTheMemoryWouldNotHaveAreRefusedOneByOne(t *testing.T) {
	besides(t, broker.Config{MaxPartitions: 100}, func(t *testing.T, _ *world, c *client) {
		req := create("good", 60)
		for name, partitions := range map[string]int32{"slash/": 1, "": 1, "..": 1, "huge": math.MaxInt32, "rest": 41} {
			req.Topics = append(req.Topics, create(name, partitions).Topics...)
		}
		got := map[string]protocol.ErrorCode{}
		for _, topic := range ask[*kmsg.CreateTopicsResponse](c, req).Topics {
			got[topic.Topic] = protocol.ErrorCode(topic.ErrorCode)
		}
		const invalidPartitions = 37
		for name, want := range map[string]protocol.ErrorCode{"good": 0, "slash/": protocol.InvalidTopic, "": protocol.InvalidTopic,
			"..": protocol.InvalidTopic, "huge": invalidPartitions, "rest": invalidPartitions} {
			if got[name] != want {
				t.Errorf("%q: %v, want %v", name, got[name].String(), want.String())
			}
		}
		grow := kmsg.NewPtrCreatePartitionsRequest()
		grow.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: "good", Count: 101}}
		if code := ask[*kmsg.CreatePartitionsResponse](c, grow).Topics[0].ErrorCode; code != invalidPartitions {
			t.Error(protocol.ErrorCode(code))
		}
		grow.Topics[0].Count = 100
		if code := ask[*kmsg.CreatePartitionsResponse](c, grow).Topics[0].ErrorCode; code != 0 {
			t.Error(protocol.ErrorCode(code))
		}
		if code := ask[*kmsg.CreateTopicsResponse](c, create("one more", 1)).Topics[0].ErrorCode; code == 0 {
			t.Error("a topic beyond the limit was made")
		}
		remove := &kmsg.DeleteTopicsRequest{Version: 5, TopicNames: []string{"good"}}
		ask[*kmsg.DeleteTopicsResponse](c, remove)
		if code := ask[*kmsg.CreateTopicsResponse](c, create("in-its-place", 100)).Topics[0].ErrorCode; code != 0 {
			t.Error(protocol.ErrorCode(code))
		}
	})
}

// Whether kfake still makes a topic whose maker has left is a matter of luck. Groups must agree with it in either case.
func TestATopicWhoseMakerLeavesIsThereForAllOrForNobody(t *testing.T) {
	for _, reads := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := start(t, broker.Config{NoAutoCreate: true})
			maker, other := w.dial("maker"), w.dial("other")
			maker.send(1, create("t", 1))
			if reads {
				maker.conn.Read(make([]byte, 1))
			}
			maker.conn.Close()
			synctest.Wait()
			there := len(ask[*kmsg.MetadataResponse](other, metadata("t")).Topics[0].Partitions) > 0
			if code := other.commit("t", [16]byte{}, 0); (code == 0) != there {
				t.Errorf("in the metadata: %v; a commit: %v", there, code.String())
			}
		})
	}
}

func TestMembersInTheProcessSeeTheTopicsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{Topics: map[string]int32{"c": 3, "a": 1, "b": 2}})
		resp, err := w.broker.Coordinator().Handle(t.Context(), coordinator.Peer{}, &kmsg.MetadataRequest{Version: 12})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, topic := range resp.(*kmsg.MetadataResponse).Topics {
			got = append(got, fmt.Sprintf("%s:%d", *topic.Topic, len(topic.Partitions)))
		}
		if want := []string{"a:1", "b:2", "c:3"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestTheProgramMayMakeTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		if err := w.broker.CreateTopic(t.Context(), "t", 0); err != nil {
			t.Fatal(err)
		}
		err := w.broker.CreateTopic(t.Context(), "t", 1)
		if !errors.Is(err, kerr.TopicAlreadyExists) || !strings.Contains(err.Error(), `topic "t"`) {
			t.Error(err)
		}
		if err := w.broker.CreateTopic(t.Context(), "no good", 1); !errors.Is(err, protocol.InvalidTopic) {
			t.Error(err)
		}
		w.broker.Close(ended())
		if err := w.broker.CreateTopic(t.Context(), "late", 1); err == nil {
			t.Error("a closed broker makes a topic")
		}
	})
}

// batch returns a batch of one record.
func batch(value string) []byte { return sealed(recordBatch(value)) }

// recordBatch returns a batch of one record, of nobody in particular.
func recordBatch(value string) kmsg.RecordBatch {
	record := kmsg.Record{Value: []byte(value)}
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	return kmsg.RecordBatch{Magic: 2, NumRecords: 1, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, Records: record.AppendTo(nil)}
}

// sealed returns a batch with the length and the checksum that it should have.
func sealed(b kmsg.RecordBatch) []byte {
	raw := b.AppendTo(nil)
	b.Length = int32(len(raw) - 12)
	b.CRC = int32(crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b.AppendTo(nil)
}

func TestProduceAndFetchGoToTheDataPlane(t *testing.T) {
	besides(t, broker.Config{Topics: map[string]int32{"t": 1}}, func(t *testing.T, _ *world, c *client) {
		req := kmsg.NewPtrProduceRequest()
		req.Version, req.Acks = 9, 0
		p := kmsg.NewProduceRequestTopicPartition()
		p.Records = batch("first")
		topic := kmsg.NewProduceRequestTopic()
		topic.Topic, topic.Partitions = "t", append(topic.Partitions, p)
		req.Topics = append(req.Topics, topic)
		c.send(1, req) // has no answer
		req.Acks = -1
		req.Topics[0].Partitions[0].Records = batch("second")
		if p := ask[*kmsg.ProduceResponse](c, req).Topics[0].Partitions[0]; p.ErrorCode != 0 || p.BaseOffset != 1 {
			t.Errorf("%+v", p)
		}
		fetch := kmsg.NewPtrFetchRequest()
		fetch.Version, fetch.MaxWaitMillis, fetch.MinBytes, fetch.MaxBytes = 11, 60_000, 1, 1<<20
		ft, fp := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
		fp.PartitionMaxBytes = 1 << 20
		ft.Topic, ft.Partitions = "t", append(ft.Partitions, fp)
		fetch.Topics = append(fetch.Topics, ft)
		got := ask[*kmsg.FetchResponse](c, fetch).Topics[0].Partitions[0]
		if want := slices.Concat(batch("first"), batch("second")); len(got.RecordBatches) != len(want) || got.HighWatermark != 2 {
			t.Errorf("%d bytes and high watermark %d, want %d bytes and 2", len(got.RecordBatches), got.HighWatermark, len(want))
		}

		bad := batch("bad")
		bad[61] = 126 // the length of the record
		req.Topics[0].Partitions[0].Records = bad
		if p := ask[*kmsg.ProduceResponse](c, req).Topics[0].Partitions[0]; p.ErrorCode != 87 || p.ErrorMessage == nil {
			t.Errorf("%+v", p)
		}
		req.Acks = 0
		c.send(1, req)
		c.wantClosed()
	})
}

func TestAFetchThatWaitsEndsWithItsClientAndWithTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{Topics: map[string]int32{"t": 1}})
		fetch := kmsg.NewPtrFetchRequest()
		fetch.Version, fetch.MaxWaitMillis, fetch.MinBytes, fetch.MaxBytes = 11, math.MaxInt32, 1, 1<<20
		ft, fp := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
		fp.PartitionMaxBytes = 1 << 20
		ft.Topic, ft.Partitions = "t", append(ft.Partitions, fp)
		fetch.Topics = append(fetch.Topics, ft)
		left, stays := w.dial("left"), w.dial("stays")
		left.send(1, fetch)
		stays.send(1, fetch)
		synctest.Wait()
		left.conn.Close()
		synctest.Wait()
		if err := w.broker.Close(t.Context()); err != nil { // without waiting for 24 days
			t.Error(err)
		}
		stays.wantClosed()
	})
}
