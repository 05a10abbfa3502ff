package preview_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// halved is a cluster in which partition 1 has no leader: as kgo does, it answers of the others and returns an error.
type halved struct{ *kgo.Client }

func (h halved) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	resp, err := h.Client.Request(ctx, req)
	listed, ok := resp.(*kmsg.ListOffsetsResponse)
	if err != nil || !ok {
		return resp, err
	}
	for t := range listed.Topics {
		left := listed.Topics[t].Partitions[:0]
		for _, p := range listed.Topics[t].Partitions {
			if p.Partition != 1 {
				left = append(left, p)
			}
		}
		listed.Topics[t].Partitions = left
	}
	return listed, kerr.LeaderNotAvailable
}

func TestFetchLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		producer := w.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
		for partition, records := range []int32{3, 8, 0, 5} {
			for range records {
				if err := producer.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Partition: int32(partition)}).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.commit("shop", "orders", 3, 4)
		group := func() *preview.Live {
			return &preview.Live{In: &vector.Input{Topics: []vector.Topic{{Name: "nosuch"}, {Name: "orders", Parts: 4}, {Name: "pay", Parts: 1}}}}
		}
		live := group()
		if err := live.FetchLag(t.Context(), w.cl, "shop"); err != nil {
			t.Fatal(err)
		}
		if got := live.In.Topics; !reflect.DeepEqual(got[1].Lag, []int64{3, 8, 0, 1}) || !reflect.DeepEqual(got[2].Lag, []int64{0}) || got[0].Lag != nil || live.Notes != nil {
			t.Errorf("lags are %v, notes %v", got, live.Notes)
		}
		live = group()
		if err := live.FetchLag(t.Context(), halved{w.cl}, "shop"); err != nil {
			t.Fatal(err)
		}
		if got := live.In.Topics[1].Lag; !reflect.DeepEqual(got, []int64{3, 0, 0, 1}) ||
			!strings.Contains(strings.Join(live.Notes, "\n"), "(partitions: 1, such as orders-1): they are taken not to lag") {
			t.Errorf("lags are %v, notes %v", got, live.Notes)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := live.FetchLag(ctx, w.cl, "shop"); err == nil || !strings.HasPrefix(err.Error(), `group "shop": how far it lags: `) {
			t.Errorf("got %v", err)
		}
	})
}

// commit commits an offset of a group that has no members.
func (w *world) commit(group, topic string, partition int32, offset int64) {
	w.t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group = group
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = partition, offset
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(w.t.Context(), w.client(kgo.MaxVersions(kversion.V3_9_0()))) // newer ones do not name the topic
	if err != nil || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		w.t.Fatal(err, protocol.ErrorCode(resp.Topics[0].Partitions[0].ErrorCode))
	}
}
