package client

import "fmt"

// waiter is one caller of Join.
type waiter struct {
	future *Future[Assignment]
	unhook func() bool // forgets about the end of its context
}

// giveUp completes one waiter whose context has ended; a first join is given up with its last waiter.
func (m *Member) giveUp(w *waiter, cause error) {
	m.mu.Lock()
	_, waiting := m.waiters[w]
	delete(m.waiters, w)
	abandon := m.abandon
	if len(m.waiters) > 0 || m.established {
		abandon = nil
	}
	failure := m.lastFailure
	m.mu.Unlock()
	if !waiting {
		return
	}
	if abandon != nil {
		abandon()
	}
	err := fmt.Errorf("join group %q: %w", m.cfg.Group, cause)
	if failure != nil {
		err = fmt.Errorf("%w; last failure: %w", err, failure)
	}
	w.future.complete(Assignment{}, err)
}

// settle completes every waiter.
func (m *Member) settle(a Assignment, err error) {
	m.mu.Lock()
	waiters := m.waiters
	m.waiters = make(map[*waiter]struct{})
	m.mu.Unlock()
	for w := range waiters {
		w.unhook()
		w.future.complete(a, err)
	}
}
