package broker_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/protocol"
)

// A dice fills requests with values of which some mean something to a broker with the topics a and b.
type dice struct {
	*rand.Rand
	topics    [][16]byte
	producers []int64
}

var (
	words = []string{"a", "a", "a", "b", "b", "c", "", "x.y", "x_y", "..", "1", "0", "-1", "segment.bytes", "compact", "cleanup.policy",
		"retention.ms", "retention.bytes", "max.message.bytes", "compression.type", "delete", "segment.ms", "delete.retention.ms"}
	numbers = []int64{-2, -1, -1, 0, 0, 0, 0, 1, 1, 2, 3, 5, 100, 1 << 20, 1<<31 - 1, -1 << 31, 1<<63 - 1, -1 << 63, -3, -4, -5, -6}
)

// likely are numbers without which a request comes to nothing.
var likely = map[string][]int64{
	"Acks": {-1, 1, 1, 0}, "Partition": {0, 0, 0, 1, 2}, "ReplicaID": {-1}, "CurrentLeaderEpoch": {-1, 0}, "SessionEpoch": {-1, 0, 1},
	"NumPartitions": {-1, 1, 2}, "ReplicationFactor": {-1, 1}, "TransactionTimeoutMillis": {1000, 60_000}, "MaxWaitMillis": {0, 10, 500},
}

func (d *dice) fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		if _, ok := v.Addr().Interface().(*kmsg.Tags); ok {
			return
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Name != "Version" {
				d.fill(v.Field(i), field.Name)
			}
		}
	case reflect.Pointer:
		if d.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			d.fill(v.Elem(), name)
		}
	case reflect.Slice:
		if name == "Records" {
			v.SetBytes(d.batch())
			return
		}
		n := d.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			d.fill(v.Index(i), name)
		}
	case reflect.Array:
		if id := d.IntN(len(d.topics) + 1); id < len(d.topics) {
			v.Set(reflect.ValueOf(d.topics[id]))
		}
	case reflect.String:
		v.SetString(words[d.IntN(len(words))])
		if name == "Topic" && d.IntN(20) > 0 {
			v.SetString(words[d.IntN(6)])
		}
	case reflect.Bool:
		v.SetBool(d.IntN(2) == 0)
	default:
		n := numbers[d.IntN(len(numbers))]
		switch likely := likely[name]; {
		case name == "ProducerID":
			n = d.producer()
		case likely != nil && d.IntN(20) > 0:
			n = likely[d.IntN(len(likely))]
		}
		if v.Kind() == reflect.Uint8 {
			v.SetUint(uint64(n) & 0xff)
			return
		}
		if v.OverflowInt(n) {
			n = int64(d.IntN(3))
		}
		v.SetInt(n)
	}
}

// producer returns the id of a producer, mostly one that there is.
func (d *dice) producer() int64 {
	if i := d.IntN(len(d.producers) + 1); i < len(d.producers) {
		return d.producers[i]
	}
	return numbers[d.IntN(len(numbers))]
}

// batch returns a batch of records, sound but for a few strokes of bad luck.
func (d *dice) batch() []byte {
	var records []byte
	count := 1 + d.IntN(3)
	for i := range count {
		record := kmsg.Record{OffsetDelta: int32(i), Key: []byte(words[d.IntN(len(words))]), TimestampDelta64: numbers[d.IntN(8)]}
		if d.IntN(3) > 0 {
			record.Value = []byte("value")
		}
		record.Length = int32(len(record.AppendTo(nil)) - 1)
		if d.IntN(20) == 0 {
			record.Length = int32(numbers[d.IntN(len(numbers))])
		}
		records = record.AppendTo(records)
	}
	b := kmsg.RecordBatch{
		Magic: 2, LastOffsetDelta: int32(count - 1), NumRecords: int32(count), Records: records,
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, FirstTimestamp: int64(d.IntN(1000)), MaxTimestamp: int64(d.IntN(1000)),
	}
	if d.IntN(3) == 0 {
		b.ProducerID, b.ProducerEpoch, b.FirstSequence = d.producer(), int16(d.IntN(3)), int32(d.IntN(4))
	}
	if d.IntN(6) == 0 {
		d.fill(reflect.ValueOf(&b).Elem().FieldByName([]string{"NumRecords", "LastOffsetDelta", "Attributes", "ProducerID",
			"ProducerEpoch", "FirstSequence", "FirstTimestamp", "MaxTimestamp", "FirstOffset", "Magic"}[d.IntN(10)]), "")
		if d.IntN(2) == 0 {
			b.LastOffsetDelta = b.NumRecords - 1
		}
	}
	if d.IntN(4) == 0 {
		b.Attributes |= 0x10 // transactional
	}
	raw := sealed(b)
	if d.IntN(10) == 0 {
		raw[d.IntN(len(raw))] ^= 1 << d.IntN(8)
	}
	return raw
}

// kfake ends the process when it meets what it does not expect. Whatever passes the door must not be of that kind.
// JOINSYNC_SEED and JOINSYNC_REQUESTS make a longer search.
func TestNoRequestEndsTheDataPlane(t *testing.T) {
	seed, count := uint64(1), 3000
	if s := os.Getenv("JOINSYNC_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	if s := os.Getenv("JOINSYNC_REQUESTS"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{Topics: map[string]int32{"a": 2, "b": 1}, MaxPartitions: 1000, MaxMessageBytes: 10_000})
		d := &dice{Rand: rand.New(rand.NewPCG(seed, 0))}
		served := ask[*kmsg.ApiVersionsResponse](w.dial(""), kmsg.NewPtrApiVersionsRequest()).ApiKeys
		answered, stored := 0, 0
		var c *client
		for i := range count {
			if i%10 == 0 {
				for _, name := range []string{"a", "b"} {
					_ = w.broker.CreateTopic(t.Context(), name, 2) // it may be there still
				}
				d.topics = w.topicIDs()
			}
			api := served[d.IntN(len(served))]
			if d.IntN(4) == 0 {
				api = served[0] // Produce
			}
			req := kmsg.RequestForKey(api.ApiKey)
			req.SetVersion(api.MinVersion + int16(d.IntN(int(api.MaxVersion-api.MinVersion)+1)))
			d.fill(reflect.ValueOf(req).Elem(), "")
			if c == nil {
				c = w.dial("fuzz")
			}
			c.conn.SetDeadline(time.Now().Add(100 * 24 * time.Hour))
			if os.Getenv("JOINSYNC_TRACE") != "" {
				fmt.Printf("%d %s %+v\n", i, protocol.APIName(api.ApiKey), req)
			}
			if _, err := c.conn.Write(c.frame(1, req)); err != nil { // after records without an answer that were refused
				c = nil
				continue
			}
			if p, ok := req.(*kmsg.ProduceRequest); ok && p.Acks == 0 {
				continue
			}
			frame, err := protocol.ReadFrame(c.conn, 1<<30)
			if err != nil {
				if err != io.EOF {
					t.Fatal(err)
				}
				c = nil
				continue
			}
			answered++
			resp := req.ResponseKind()
			if _, err := protocol.ReadResponse(frame, resp); err != nil {
				t.Fatal(err)
			}
			switch resp := resp.(type) {
			case *kmsg.InitProducerIDResponse:
				d.producers = append(d.producers, resp.ProducerID)
				d.producers = d.producers[max(0, len(d.producers)-5):]
			case *kmsg.ProduceResponse:
				for _, topic := range resp.Topics {
					for _, p := range topic.Partitions {
						if p.ErrorCode == 0 {
							stored++
						}
					}
				}
			}
		}
		t.Logf("%d of %d requests were answered, and %d batches stored", answered, count, stored)
		if answered < count/2 {
			t.Error("too few")
		}
	})
}

func (w *world) topicIDs() (ids [][16]byte) {
	c := w.dial("")
	defer c.conn.Close()
	for _, topic := range ask[*kmsg.MetadataResponse](c, &kmsg.MetadataRequest{Version: 12}).Topics {
		ids = append(ids, topic.TopicID)
	}
	return ids
}
