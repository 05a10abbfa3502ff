package preview_test

import (
	"context"
	"net"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/protocol"
)

// A world is a broker of ours on a network in memory.
type world struct {
	t   *testing.T
	net *memnet.Listener
	cl  *kgo.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, net: memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})}
	b, err := broker.Listen(t.Context(), broker.Config{Listener: w.net, Topics: map[string]int32{"orders": 4, "pay": 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	w.cl = w.client()
	return w
}

func (w *world) client(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return w.net.Dial(ctx) }
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(dial))...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(cl.Close)
	return cl
}

func TestFetchTakesAGroupAsItStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.client(kgo.ConsumerGroup("shop"), kgo.ConsumeTopics("orders", "pay"), kgo.InstanceID("first"), kgo.Rack("a"),
			kgo.Balancers(kgo.StickyBalancer()), kgo.DisableAutoCommit())
		w.client(kgo.ConsumerGroup("shop"), kgo.ConsumeTopics("orders"), kgo.InstanceID("second"), kgo.Balancers(kgo.StickyBalancer()), kgo.DisableAutoCommit())
		time.Sleep(time.Minute)
		live, err := preview.Fetch(t.Context(), w.cl, "shop")
		if err != nil {
			t.Fatal(err)
		}
		if live.Protocol != "sticky" || live.Limit != preview.DefaultLimit {
			t.Errorf("got %+v", live)
		}
		notes := strings.Join(live.Notes, "\n")
		for _, want := range []string{"does not tell the generation: gen is 1", "does not tell max.message.bytes of __consumer_offsets: it is taken to be 1048588"} {
			if !strings.Contains(notes, want) {
				t.Errorf("no %q in %s", want, notes)
			}
		}
		topics := make(map[string]int)
		for _, topic := range live.In.Topics {
			topics[topic.Name] = topic.Parts
		}
		if !reflect.DeepEqual(topics, map[string]int{"orders": 4, "pay": 1}) {
			t.Errorf("topics are %v", topics)
		}
		owned := 0
		for _, m := range live.In.Members {
			for _, partitions := range m.Owned {
				owned += len(partitions)
			}
			want := map[string]string{"first": "orders pay a", "second": "orders "}[m.Instance]
			if got := strings.Join(m.Subs, " ") + " " + m.Rack; got != want || *m.Version != 3 || *m.Generation != 1 {
				t.Errorf("%s subscribes to %s, not %s: %+v", m.Instance, got, want, m)
			}
		}
		if len(live.In.Members) != 2 || owned != 5 {
			t.Errorf("%d members own %d partitions", len(live.In.Members), owned)
		}
		if moved := reports(t, live.In, live.Limit, "sticky")[0].Facts.Moved; moved != 0 {
			t.Errorf("%d partitions would move, though nothing has changed", moved)
		}
	})
}

func TestFetchSaysWhatIsWrongWithAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.join("workers", "connect", nil)
		w.join("halfway", "consumer", nil)
		for group, want := range map[string]string{
			"nosuch":  `group "nosuch": there is none of the classic protocol: check the name`,
			"workers": `group "workers": its members are no consumers, but of type "connect": `,
			"halfway": `group "halfway": it is in state CompletingRebalance, and a broker tells its members' topics in state Stable only: try again`,
		} {
			if _, err := preview.Fetch(t.Context(), w.cl, group); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %v", group, err)
			}
		}
		w.join("odd", "consumer", []byte{0})
		live, err := preview.Fetch(t.Context(), w.cl, "odd")
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(live.Notes, "\n"); !strings.Contains(notes, "it is taken to subscribe to nothing") {
			t.Errorf("noted %s", notes)
		}
		time.Sleep(time.Minute) // until nobody is left
		if _, err := preview.Fetch(t.Context(), w.cl, "halfway"); err == nil || !strings.Contains(err.Error(), "it is Empty and has no members") {
			t.Errorf("got %v", err)
		}
	})
}

// join makes a member by hand, which is never heard of again. It syncs if it has metadata.
func (w *world) join(group, protocolType string, metadata []byte) {
	w.t.Helper()
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.ProtocolType, req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = group, protocolType, 10_000, 10_000
	offered := kmsg.NewJoinGroupRequestProtocol()
	offered.Name, offered.Metadata = "range", metadata
	req.Protocols = append(req.Protocols, offered)
	for {
		resp, err := req.RequestWith(w.t.Context(), w.cl)
		if err != nil {
			w.t.Fatal(err)
		}
		switch code := protocol.ErrorCode(resp.ErrorCode); code {
		case protocol.None:
			if metadata != nil {
				w.sync(group, resp)
			}
			return
		case protocol.MemberIDRequired:
			req.MemberID = resp.MemberID
		default:
			w.t.Fatal(code)
		}
	}
}

func (w *world) sync(group string, joined *kmsg.JoinGroupResponse) {
	w.t.Helper()
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = group, joined.MemberID, joined.Generation
	req.ProtocolType, req.Protocol = joined.ProtocolType, joined.Protocol
	resp, err := req.RequestWith(w.t.Context(), w.cl)
	if err != nil || resp.ErrorCode != 0 {
		w.t.Fatal(err, protocol.ErrorCode(resp.ErrorCode))
	}
}
