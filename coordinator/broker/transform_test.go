package broker_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/coordinator/broker"
)

// Each order becomes a bill, in a transaction with the offset of the order, by franz-go's client: what is aborted is
// consumed again, and who has a successor can do no more.
func TestConsumeTransformProduce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{Topics: map[string]int32{"orders": 1, "bills": 1}})
		plain := w.kgo()
		const count = 5
		for i := range count {
			if err := plain.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: fmt.Append(nil, i)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		session := w.transact("txn")
		if seen := w.transform(session, count, kgo.TryAbort); len(seen) != count {
			t.Fatalf("consumed %v", seen)
		}
		if seen := w.transform(session, count, kgo.TryCommit); len(seen) != count {
			t.Errorf("after an abort was consumed %v", seen)
		}
		if offset, code := w.dial("consumer").offset("billing", true); offset != count {
			t.Errorf("committed is %d (%s), want %d", offset, code.String(), count)
		}
		session.Close()

		bills := w.kgo(kgo.ConsumeTopics("bills"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
		var read []string
		for len(read) < count {
			bills.PollFetches(t.Context()).EachRecord(func(r *kgo.Record) { read = append(read, string(r.Value)) })
		}
		slices.Sort(read)
		if !slices.Equal(read, []string{"bill 0", "bill 1", "bill 2", "bill 3", "bill 4"}) {
			t.Errorf("read %v", read)
		}
	})
}

// kgo returns a client of franz-go.
func (w *world) kgo(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(w.broker.Advertised()), kgo.Dialer(w.net.DialContext))...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	return client
}

// transact starts a consumer of orders that produces in transactions.
func (w *world) transact(txn string) *kgo.GroupTransactSession {
	w.t.Helper()
	session, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(w.broker.Advertised()), kgo.Dialer(w.net.DialContext), kgo.TransactionalID(txn),
		kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("orders"), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(session.Close)
	return session
}

// transform makes bills of so many orders in one transaction, ends it, and returns the orders.
func (w *world) transform(session *kgo.GroupTransactSession, count int, try kgo.TransactionEndTry) (seen []string) {
	w.t.Helper()
	if err := session.Begin(); err != nil {
		w.t.Fatal(err)
	}
	for len(seen) < count {
		fetches := session.PollFetches(w.t.Context())
		if err := fetches.Err(); err != nil {
			w.t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			seen = append(seen, string(r.Value))
			session.Produce(w.t.Context(), &kgo.Record{Topic: "bills", Value: fmt.Append(nil, "bill ", string(r.Value))}, nil)
		})
	}
	committed, err := session.End(w.t.Context(), try)
	if err != nil || committed != bool(try) {
		w.t.Fatalf("committed: %t, %v", committed, err)
	}
	return seen
}
