package broker_test

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
)

// FuzzConnection sends bytes, whatever they are, and leaves. Nothing of that must end the broker or keep it from closing.
func FuzzConnection(f *testing.F) {
	c := client{id: "x"}
	var all []byte
	for _, req := range []kmsg.Request{
		kmsg.NewPtrApiVersionsRequest(), &kmsg.MetadataRequest{Version: 12}, &kmsg.FindCoordinatorRequest{Version: 4, CoordinatorKeys: []string{"g"}},
		join("g", ""), heartbeat("g"), &kmsg.OffsetCommitRequest{Version: 8, Group: "g", Generation: -1},
		&kmsg.ProduceRequest{Version: 9, Acks: 1}, &kmsg.FetchRequest{Version: 12, MaxWaitMillis: 100},
		&kmsg.CreateTopicsRequest{Version: 7, Topics: []kmsg.CreateTopicsRequestTopic{{Topic: "t", NumPartitions: 1, ReplicationFactor: 1}}},
		&kmsg.InitProducerIDRequest{Version: 4, TransactionalID: new("t"), TransactionTimeoutMillis: 1000, ProducerID: -1, ProducerEpoch: -1},
		&kmsg.AddOffsetsToTxnRequest{Version: 3, TransactionalID: "t", Group: "g"}, &kmsg.EndTxnRequest{Version: 5, TransactionalID: "t"},
		&kmsg.DescribeTopicPartitionsRequest{Cursor: &kmsg.DescribeTopicPartitionsRequestCursor{Topic: "t"}},
	} {
		frame := c.frame(1, req)
		f.Add(frame)
		all = append(all, frame...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			w := start(t, broker.Config{MaxRequestBytes: 1 << 20, MaxPartitions: 100})
			hostile := w.dial("hostile")
			go func() {
				io.Copy(hostile.conn, bytes.NewReader(sent))
				hostile.conn.Close()
			}()
			io.Copy(io.Discard, hostile.conn)
			w.dial("other").wantAlive()
		})
	})
}
