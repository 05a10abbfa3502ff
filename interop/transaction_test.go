package interop_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// Each order becomes a bill in a transaction that has the order's offset too: what is aborted comes again, and only what
// is committed is there to read.
func TestConsumeTransformProduce(t *testing.T) {
	s := serve(t)
	orders := s.produce(2)
	session, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(s.addr), kgo.TransactionalID("billing"), kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.AllowAutoTopicCreation())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
		if err := session.Begin(); err != nil {
			t.Fatal(err)
		}
		for seen := 0; seen < len(orders); {
			fetches := session.PollFetches(deadline(t))
			if err := fetches.Err(); err != nil {
				t.Fatal(err)
			}
			fetches.EachRecord(func(r *kgo.Record) {
				seen++
				session.Produce(t.Context(), &kgo.Record{Topic: "bills", Value: r.Value}, nil)
			})
		}
		if committed, err := session.End(deadline(t), end); err != nil || committed != bool(end) {
			t.Fatalf("committed: %t, %v", committed, err)
		}
		for partition, offset := range s.committed("billing") {
			if want := map[kgo.TransactionEndTry]int64{kgo.TryAbort: -1, kgo.TryCommit: 2}[end]; offset != want {
				t.Errorf("partition %d: committed is %d, want %d", partition, offset, want)
			}
		}
	}
	if got := len(s.committed("billing")); got != partitions {
		t.Errorf("offsets of %d partitions are committed", got)
	}

	reader, err := kgo.NewClient(kgo.SeedBrokers(s.addr), kgo.ConsumeTopics("bills"), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var bills []string
	for len(bills) < len(orders) {
		fetches := reader.PollFetches(deadline(t))
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { bills = append(bills, string(r.Value)) })
	}
	slices.Sort(bills)
	slices.Sort(orders)
	if !slices.Equal(bills, orders) {
		t.Errorf("the bills are %v, the orders %v", bills, orders)
	}
}

// Java's producer of each version begins and ends transactions: of 4.4.0 in a new epoch each (KIP-890), of 3.9.2 in one.
func TestJavaProducesInTransactions(t *testing.T) {
	s := serve(t)
	const count = 2000
	for _, version := range kafkatest.Versions {
		output, err := kafkatest.StartJava(t, version, 96, "org.apache.kafka.tools.ProducerPerformance", "--topic", topic, "--num-records", strconv.Itoa(count),
			"--record-size", "100", "--throughput", strconv.Itoa(count), "--transactional-id", string(version), "--transaction-duration-ms", "50",
			"--producer-props", "bootstrap.servers="+s.addr, "linger.ms=1").Output(deadline(t))
		if err != nil || !strings.Contains(output, fmt.Sprintf("%d records sent", count)) {
			t.Errorf("%s: %q, %v", version, output, err)
		}
	}
	reader, err := kgo.NewClient(kgo.SeedBrokers(s.addr), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for read := 0; read < count*len(kafkatest.Versions); {
		fetches := reader.PollFetches(deadline(t))
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d records: %v", read, err)
		}
		read += fetches.NumRecords()
	}
}
