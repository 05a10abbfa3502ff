package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// MemoryStore keeps records in memory. It outlives a coordinator that is closed, so that the next one finds the groups
// again. Its methods may be called concurrently.
type MemoryStore struct {
	mu         sync.Mutex
	partitions map[int32]*memoryPartition
}

type memoryPartition struct {
	mu      sync.Mutex
	epoch   int // grows with each owner
	appends uint64
	records map[string]memoryRecord // by key: only the last value counts
}

type memoryRecord struct {
	Record
	at uint64 // the append that wrote it
}

// NewMemoryStore returns a store without records.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{partitions: make(map[int32]*memoryPartition)}
}

// Open implements Store.
func (s *MemoryStore) Open(_ context.Context, partition int32) (Log, error) {
	s.mu.Lock()
	p := s.partitions[partition]
	if p == nil {
		p = &memoryPartition{records: make(map[string]memoryRecord)}
		s.partitions[partition] = p
	}
	s.mu.Unlock()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.epoch++
	return &memoryLog{partition: p, epoch: p.epoch}, nil
}

type memoryLog struct {
	partition *memoryPartition
	epoch     int
}

func (l *memoryLog) Replay(_ context.Context, fn func(Record) error) error {
	l.partition.mu.Lock()
	records := slices.SortedFunc(maps.Values(l.partition.records), func(a, b memoryRecord) int { return cmp.Compare(a.at, b.at) })
	l.partition.mu.Unlock()
	for _, r := range records {
		if err := fn(r.Record); err != nil {
			return err
		}
	}
	return nil
}

func (l *memoryLog) Append(batch []Record, done func(error)) { done(l.append(batch)) }

func (l *memoryLog) append(batch []Record) error {
	p := l.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.epoch < p.epoch {
		return fmt.Errorf("%w: %w", ErrRefused, ErrFenced)
	}
	for _, r := range batch {
		p.appends++
		if r.Value == nil {
			delete(p.records, string(r.Key))
			continue
		}
		p.records[string(r.Key)] = memoryRecord{Record: r, at: p.appends}
	}
	return nil
}

func (l *memoryLog) Close() error { return nil }
