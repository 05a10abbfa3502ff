package preview_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/protocol"
)

// TestJavasGroupOnARealBroker: what range is shown to give is what Java's leader gave, and the record is as large as the
// broker's.
func TestJavasGroupOnARealBroker(t *testing.T) {
	b := kafkatest.Start(t, kafkatest.V4_4_0)
	topic, group := b.CreateTopic(t, 5), kafkatest.Name(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for range 2 {
		kafkatest.StartConsumer(t, kafkatest.ConsumerConfig{Addr: b.Addr(), Group: group, Topic: topic})
	}
	if _, err := kafkatest.AwaitGroup(ctx, b.Addr(), group, func(g kafkatest.Group) bool {
		return g.State == "Stable" && len(g.Members) == 2 && g.CheckAssignment(topic, 5) == nil
	}); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.ConsumeTopics("__consumer_offsets"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	live, err := preview.Fetch(ctx, cl, group)
	if err != nil {
		t.Fatal(err)
	}
	if live.Protocol != "range" || live.Limit != preview.DefaultLimit || len(live.Notes) != 1 {
		t.Errorf("got %+v", live)
	}
	if err := live.FetchLag(ctx, cl, group); err != nil || !reflect.DeepEqual(live.In.Topics[0].Lag, make([]int64, 5)) {
		t.Errorf("the lags of an empty topic are %v, %v", live.In.Topics[0].Lag, err)
	}
	r := reports(t, live.In, live.Limit, "range")[0]
	owned := make(map[string]preview.Partitions)
	for _, m := range live.In.Members {
		owned[m.ID] = m.Owned
	}
	if !reflect.DeepEqual(r.Out, owned) || r.Facts.Moved != 0 {
		t.Errorf("range is shown to give %v, Java's gave %v", r.Out, owned)
	}
	value := lastGroupRecord(ctx, t, cl, group, len(live.In.Members))
	if r.Record.Bytes < value || r.Record.Bytes > value+200 {
		t.Errorf("the record is said to have %d bytes in its batch, its value has %d", r.Record.Bytes, value)
	}
}

// lastGroupRecord is the size of the value of a group's record with so many members, each with an assignment.
func lastGroupRecord(ctx context.Context, t *testing.T, cl *kgo.Client, group string, members int) (size int) {
	t.Helper()
	for size == 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(record *kgo.Record) {
			r, err := protocol.DecodeRecord(record.Key, record.Value)
			if err != nil || r.Kind != protocol.GroupRecord || r.Group != group || len(r.Metadata.Members) != members {
				return
			}
			for _, m := range r.Metadata.Members {
				if len(m.Assignment) == 0 {
					return
				}
			}
			size = len(record.Value)
		})
	}
	return size
}
