package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/joinsync/joinsync/coordinator"
)

// Run tests that the stores which open returns keep the contract of coordinator.Store. Each subtest calls open for a
// store without records.
func Run(t *testing.T, open func(t *testing.T) coordinator.Store) {
	for name, test := range map[string]func(*testing.T, coordinator.Store){
		"an empty partition replays nothing":          emptyPartition,
		"what is stored is replayed in order":         replayInOrder,
		"the last value of a key counts":              lastValueCounts,
		"a tombstone takes its key away":              tombstone,
		"partitions are apart":                        partitionsApart,
		"a new owner fences the one before":           newOwnerFences,
		"batches are stored in the order of appends":  orderOfAppends,
		"a batch is answered once":                    answeredOnce,
		"an error of the replay's receiver ends it":   replayEnds,
		"an empty value is a value, not a tombstone":  emptyValue,
		"a closed partition can be opened once again": reopen,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func openLog(t *testing.T, s coordinator.Store, partition int32) coordinator.Log {
	t.Helper()
	log, err := s.Open(t.Context(), partition)
	if err != nil {
		t.Fatalf("open partition %d: %v", partition, err)
	}
	return log
}

// appendTo appends a batch and waits for its outcome.
func appendTo(log coordinator.Log, batch ...coordinator.Record) error {
	done := make(chan error, 1)
	log.Append(batch, func(err error) { done <- err })
	return <-done
}

func mustAppend(t *testing.T, log coordinator.Log, batch ...coordinator.Record) {
	t.Helper()
	if err := appendTo(log, batch...); err != nil {
		t.Fatalf("append: %v", err)
	}
}

// record makes a record; a value of "-" makes a tombstone.
func record(key, value string) coordinator.Record {
	if value == "-" {
		return coordinator.Record{Key: []byte(key)}
	}
	return coordinator.Record{Key: []byte(key), Value: []byte(value)}
}

func wantReplay(t *testing.T, s coordinator.Store, partition int32, want ...string) {
	t.Helper()
	log := openLog(t, s, partition)
	defer closeLog(t, log)
	var got []string
	if err := log.Replay(t.Context(), func(r coordinator.Record) error {
		got = append(got, fmt.Sprintf("%s=%s", r.Key, r.Value))
		return nil
	}); err != nil {
		t.Fatalf("replay: %v", err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("replayed %v, want %v", got, want)
	}
}

func closeLog(t *testing.T, log coordinator.Log) {
	t.Helper()
	if err := log.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func emptyPartition(t *testing.T, s coordinator.Store) { wantReplay(t, s, 0) }

func replayInOrder(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	mustAppend(t, log, record("b", "1"), record("a", "2"))
	mustAppend(t, log, record("c", "3"))
	closeLog(t, log)
	wantReplay(t, s, 0, "b=1", "a=2", "c=3")
}

func lastValueCounts(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	mustAppend(t, log, record("a", "1"), record("b", "1"))
	mustAppend(t, log, record("a", "2"), record("a", "3"))
	closeLog(t, log)
	wantReplay(t, s, 0, "b=1", "a=3")
}

func tombstone(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	mustAppend(t, log, record("a", "1"), record("b", "1"))
	mustAppend(t, log, record("a", "-"), record("never", "-"))
	closeLog(t, log)
	wantReplay(t, s, 0, "b=1")
}

func emptyValue(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	mustAppend(t, log, record("a", ""))
	closeLog(t, log)
	wantReplay(t, s, 0, "a=")
}

func partitionsApart(t *testing.T, s coordinator.Store) {
	zero, one := openLog(t, s, 0), openLog(t, s, 1)
	mustAppend(t, zero, record("a", "0"))
	mustAppend(t, one, record("a", "1"))
	closeLog(t, zero)
	closeLog(t, one)
	wantReplay(t, s, 0, "a=0")
	wantReplay(t, s, 1, "a=1")
}

func newOwnerFences(t *testing.T, s coordinator.Store) {
	old := openLog(t, s, 0)
	mustAppend(t, old, record("a", "1"))
	owner := openLog(t, s, 0)
	err := appendTo(old, record("a", "2"))
	if !errors.Is(err, coordinator.ErrRefused) || !errors.Is(err, coordinator.ErrFenced) {
		t.Errorf("the append of a fenced owner ended with %v, want ErrRefused and ErrFenced", err)
	}
	mustAppend(t, owner, record("b", "1"))
	_ = old.Close() // it may complain
	closeLog(t, owner)
	wantReplay(t, s, 0, "a=1", "b=1")
}

func orderOfAppends(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	const batches = 100
	done := make(chan error, batches)
	for i := range batches {
		log.Append([]coordinator.Record{record("a", fmt.Sprint(i))}, func(err error) { done <- err })
	}
	for range batches {
		if err := <-done; err != nil {
			t.Fatalf("append: %v", err)
		}
	}
	closeLog(t, log)
	wantReplay(t, s, 0, fmt.Sprintf("a=%d", batches-1))
}

func answeredOnce(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	answers := make(chan error, 2)
	log.Append([]coordinator.Record{record("a", "1")}, func(err error) { answers <- err })
	if err := <-answers; err != nil {
		t.Fatalf("append: %v", err)
	}
	closeLog(t, log)
	select {
	case err := <-answers:
		t.Errorf("a second answer: %v", err)
	default:
	}
}

func replayEnds(t *testing.T, s coordinator.Store) {
	log := openLog(t, s, 0)
	mustAppend(t, log, record("a", "1"), record("b", "1"))
	closeLog(t, log)
	log = openLog(t, s, 0)
	defer closeLog(t, log)
	enough := errors.New("enough")
	calls := 0
	err := log.Replay(t.Context(), func(coordinator.Record) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

func reopen(t *testing.T, s coordinator.Store) {
	for i := range 3 {
		log := openLog(t, s, 0)
		mustAppend(t, log, record(fmt.Sprint("k", i), "v"))
		closeLog(t, log)
	}
	wantReplay(t, s, 0, "k0=v", "k1=v", "k2=v")
}
