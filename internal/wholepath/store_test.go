package wholepath_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/joinsync/joinsync/coordinator"
)

// moody is a MemoryStore that takes its time and fails now and then, in each of the ways that the contract of a store
// allows, for as long as it has a temper.
type moody struct {
	*coordinator.MemoryStore

	mu     sync.Mutex
	temper *dice // nil: it does as it is told
	moods  map[mood]int
}

var errAway = errors.New("the store is away")

type mood string

const (
	good        mood = "stored"
	refusing    mood = "refused"
	forgetful   mood = "stored, but the answer got lost" // which the coordinator cannot tell from the next
	careless    mood = "lost together with the answer"
	unavailable mood = "could not be opened"
)

func newMoody() *moody {
	return &moody{MemoryStore: coordinator.NewMemoryStore(), moods: make(map[mood]int)}
}

// become gives the store a temper; nil takes it away.
func (s *moody) become(temper *dice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.temper = temper
}

// mood draws what becomes of the next batch, and how long it takes.
func (s *moody) mood() (m mood, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m = good
	if s.temper != nil {
		delay = s.temper.upTo(20 * time.Millisecond)
		if s.temper.oneIn(100) {
			delay = s.temper.upTo(5 * time.Second)
		}
		switch s.temper.intN(40) {
		case 0:
			m = refusing
		case 1:
			m = forgetful
		case 2:
			m = careless
		}
	}
	s.moods[m]++
	return m, delay
}

// tally says how often the store was in which mood.
func (s *moody) tally() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.moods)
}

// Open implements coordinator.Store.
func (s *moody) Open(ctx context.Context, partition int32) (coordinator.Log, error) {
	s.mu.Lock()
	refused := s.temper.oneIn(4)
	if refused {
		s.moods[unavailable]++
	}
	s.mu.Unlock()
	if refused {
		return nil, errAway
	}
	log, err := s.MemoryStore.Open(ctx, partition)
	return &moodyLog{Log: log, store: s}, err
}

// moodyLog keeps batches in order, however long each takes.
type moodyLog struct {
	coordinator.Log
	store *moody

	mu    sync.Mutex
	queue []func()
	busy  bool
}

// Append implements coordinator.Log.
func (l *moodyLog) Append(batch []coordinator.Record, done func(error)) {
	m, delay := l.store.mood()
	l.mu.Lock()
	l.queue = append(l.queue, func() {
		if delay > 0 {
			time.Sleep(delay)
		}
		l.append(m, batch, done)
	})
	start := !l.busy
	l.busy = true
	l.mu.Unlock()
	if start {
		go l.work()
	}
}

func (l *moodyLog) append(m mood, batch []coordinator.Record, done func(error)) {
	switch m {
	case good:
		l.Log.Append(batch, done)
	case refusing:
		done(fmt.Errorf("%w: not now", coordinator.ErrRefused))
	case forgetful:
		l.Log.Append(batch, func(error) { done(errBroken) })
	case careless:
		done(errBroken)
	}
}

func (l *moodyLog) work() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 {
			l.busy = false
			l.mu.Unlock()
			return
		}
		next := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		next()
	}
}
