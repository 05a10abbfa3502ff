package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// slowStore is a MemoryStore whose appends wait until the test says what becomes of them.
type slowStore struct {
	*coordinator.MemoryStore

	mu      sync.Mutex
	hold    bool
	batches []int // sizes of the appended batches
	pending []func(error)
}

func newSlowStore() *slowStore { return &slowStore{MemoryStore: coordinator.NewMemoryStore()} }

func (s *slowStore) Open(ctx context.Context, partition int32) (coordinator.Log, error) {
	log, err := s.MemoryStore.Open(ctx, partition)
	return &slowLog{Log: log, store: s}, err
}

type slowLog struct {
	coordinator.Log
	store *slowStore
}

func (l *slowLog) Append(batch []coordinator.Record, done func(error)) {
	l.store.mu.Lock()
	l.store.batches = append(l.store.batches, len(batch))
	hold := l.store.hold
	if hold {
		l.store.pending = append(l.store.pending, func(err error) {
			if err != nil {
				done(err)
				return
			}
			l.Log.Append(batch, done)
		})
	}
	l.store.mu.Unlock()
	if !hold {
		l.Log.Append(batch, done)
	}
}

// setHold is for tests in which somebody else may be at work.
func (s *slowStore) setHold(hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = hold
}

// finish ends the first append that is held.
func (s *slowStore) finish(err error) {
	s.mu.Lock()
	first := s.pending[0]
	s.pending = s.pending[1:]
	s.mu.Unlock()
	first(err)
}

func TestCommitsThatComeTogetherShareABatch(t *testing.T) { // G-300, G-304
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		p := connect(t, start(t, coordinator.Config{Store: store}), "client")
		store.hold = true
		results := make(chan protocol.ErrorCode)
		for i := range 4 {
			go func() { results <- p.commit(nil, fmt.Sprint("t", i), int64(i)) }()
			synctest.Wait()
		}
		if got := p.committed("t0"); got != -1 {
			t.Errorf("offset %d is seen before it is stored", got)
		}
		store.finish(nil)
		if code := <-results; code != protocol.None {
			t.Errorf("first commit: %v", code)
		}
		synctest.Wait()
		store.finish(nil)
		for range 3 {
			if code := <-results; code != protocol.None {
				t.Errorf("commit: %v", code)
			}
		}
		if got := fmt.Sprint(store.batches); got != "[1 3]" {
			t.Errorf("batches of %s records", got)
		}
		if got := p.committed("t3"); got != 3 {
			t.Errorf("offset %d", got)
		}
	})
}

func TestRefusedRecordsAreAsIfTheyHadNotBeen(t *testing.T) { // G-219, G-220, G-258, G-297, G-301
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		p := connect(t, start(t, coordinator.Config{Store: store}), "client")
		joined := p.stable()
		for _, refusal := range []struct {
			err  error
			want protocol.ErrorCode
		}{
			{coordinator.ErrRefused, protocol.CoordinatorNotAvailable},
			{errors.Join(coordinator.ErrRefused, coordinator.ErrTooLarge), protocol.UnknownServerError},
			{errors.Join(coordinator.ErrRefused, coordinator.ErrFenced), protocol.NotCoordinator},
		} {
			store.hold = true
			result := make(chan protocol.ErrorCode)
			go func() { result <- p.commit(joined, "t", 5) }()
			synctest.Wait()
			store.finish(refusal.err)
			if code := <-result; code != refusal.want {
				t.Errorf("%v is answered %v, want %v", refusal.err, code, refusal.want)
			}
			if got := p.committed("t"); got != -1 {
				t.Errorf("a refused offset %d is seen", got)
			}
		}
		if code := p.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat: %v", code)
		}
	})
}

func TestUnknownOutcomeLoadsThePartitionAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		p := connect(t, start(t, coordinator.Config{Store: store}), "client")
		joined := p.stable()
		p.commit(joined, "t", 5)
		store.hold = true
		result := make(chan protocol.ErrorCode)
		go func() { result <- p.commit(joined, "t", 6) }()
		synctest.Wait()
		store.finish(errors.New("the connection broke"))
		if code := <-result; code != protocol.NotCoordinator {
			t.Errorf("commit of unknown outcome: %v", code)
		}
		synctest.Wait()
		store.hold = false
		if got := p.committed("t"); got != 5 {
			t.Errorf("offset %d after the partition was loaded again", got)
		}
		if code := p.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat: %v", code)
		}
		if code := p.commit(joined, "t", 7); code != protocol.None {
			t.Errorf("next commit: %v", code)
		}
	})
}

func TestGroupsOutliveTheirCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := coordinator.NewMemoryStore()
		first := start(t, coordinator.Config{Store: store})
		p := connect(t, first, "client")
		joined := p.stable()
		if code := p.commit(joined, "t", 42); code != protocol.None {
			t.Fatalf("commit: %v", code)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		q := connect(t, start(t, coordinator.Config{Store: store}), "client")
		if code := q.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat at the next coordinator: %v", code)
		}
		if got := q.committed("t"); got != 42 {
			t.Errorf("offset %d", got)
		}
	})
}
