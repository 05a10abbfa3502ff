package broker_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/joinsync/joinsync/coordinator"
)

// A moodyStore refuses to store, or takes its time, for as long as it likes.
type moodyStore struct {
	*coordinator.MemoryStore

	mu   sync.Mutex
	mood mood
	held []func() // what it will store when it is willing again
}

type mood int

const (
	willing mood = iota
	refusing
	slow
)

func newMoodyStore() *moodyStore { return &moodyStore{MemoryStore: coordinator.NewMemoryStore()} }

func (s *moodyStore) become(mood mood) {
	s.mu.Lock()
	s.mood = mood
	held := s.held
	s.held = nil
	s.mu.Unlock()
	for _, store := range held {
		store()
	}
}

// Open implements coordinator.Store.
func (s *moodyStore) Open(ctx context.Context, partition int32) (coordinator.Log, error) {
	log, err := s.MemoryStore.Open(ctx, partition)
	return moodyLog{log, s}, err
}

type moodyLog struct {
	coordinator.Log
	store *moodyStore
}

// Append implements coordinator.Log.
func (l moodyLog) Append(records []coordinator.Record, done func(error)) {
	l.store.mu.Lock()
	mood := l.store.mood
	if mood == slow {
		l.store.held = append(l.store.held, func() { l.Log.Append(records, done) })
	}
	l.store.mu.Unlock()
	switch mood {
	case refusing:
		done(fmt.Errorf("not now: %w", coordinator.ErrRefused))
	case willing:
		l.Log.Append(records, done)
	}
}
