package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// run is the member's own goroutine, from the first Join to the end.
func (m *Member) run() {
	for {
		select {
		case <-m.stopping.Done():
			m.end(ErrClosed)
			return
		case <-m.standing.wake:
		}
		if err := m.attend(); err != nil {
			m.end(err)
			return
		}
	}
}

// attend does what the member was woken for: join, join again, or tell a new waiter what is known already. An error
// ends the member.
func (m *Member) attend() error {
	ctx, cancel := context.WithCancel(m.stopping)
	defer cancel()
	m.mu.Lock()
	waiting, fresh := len(m.waiters) > 0, !m.established
	m.abandon = cancel
	m.mu.Unlock()

	if fresh {
		if !waiting {
			return nil // given up before it began
		}
		m.began = time.Now()
		m.standing.requestRejoin("", false)
	}
	err := m.join(ctx)

	m.mu.Lock()
	m.abandon, m.lastFailure = nil, nil
	abandoned := fresh && ctx.Err() != nil && m.stopping.Err() == nil
	m.established = err == nil && !abandoned
	m.mu.Unlock()
	switch {
	case m.stopping.Err() != nil:
		return ErrClosed
	case abandoned:
		if err := m.depart("the join was cancelled"); err != nil {
			return m.explain(err)
		}
		m.standing.forget()
		m.standing.signal() // somebody may have called Join meanwhile
		return nil
	case err == nil:
		m.settle(m.current, nil)
	}
	return err
}

// join goes round until the member is stable with nothing pending (G-461), ctx ends, or an error is final.
func (m *Member) join(ctx context.Context) error {
	for {
		pending, reason, fatal := m.standing.pending()
		if fatal != nil {
			return m.explain(fatal)
		}
		if !pending {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.release(reason, false); err != nil {
			return m.explain(err)
		}
		assignment, err := m.attempt(ctx, reason)
		if err == nil {
			err = m.assign(assignment)
		}
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.getOver(ctx, err); err != nil {
			return err
		}
	}
}

// attempt is one round: a JoinGroup, and a SyncGroup chained to it. What the SyncGroup brings is the outcome of the
// JoinGroup; an error anywhere on the way is, too.
func (m *Member) attempt(ctx context.Context, reason string) (Assignment, error) {
	election, leader, err := m.joinGroup(ctx, reason)
	if err != nil {
		return Assignment{}, err
	}
	var assignments map[string][]byte
	if leader {
		if assignments, err = m.performAssignment(ctx, election); err != nil {
			return Assignment{}, err
		}
	}
	return m.syncGroup(ctx, election.Generation, leader, assignments)
}

// maxRefusals is how many JoinGroups in a row may be refused and sent again at once. Kafka's client sets no bound; a
// coordinator that has lost its mind would keep both sides busy.
const maxRefusals = 4

// getOver waits as long as err asks for before the next attempt, or returns the error with which the member ends.
func (m *Member) getOver(ctx context.Context, err error) error {
	var refused *refusal
	var gone *lost
	pause := time.Duration(0)
	switch {
	case errors.Is(err, errMovedOn):
		return nil
	case errors.As(err, &refused):
		if refused.reaction == final {
			return m.explain(err)
		}
		if refused.code == protocol.MemberIDRequired && m.refusals < maxRefusals {
			return nil // a step of the join, not a failure; the reason is set
		}
		if refused.reaction == backOff {
			pause = m.cfg.RetryBackoff
		}
		if m.refusals >= maxRefusals {
			pause = m.pauses.next()
		}
	case errors.As(err, &gone):
		if Permanent(gone.err) {
			return m.explain(err)
		}
		pause = m.pauses.next()
		limit := m.cfg.BootstrapTimeout
		if !m.reached.Load() && limit > 0 && time.Since(m.began)+pause > limit {
			return m.explain(fmt.Errorf("no answer from the cluster within BootstrapTimeout, which is %v: %w", limit, err))
		}
	default:
		return m.explain(err) // the Protocol's
	}
	m.mu.Lock()
	m.lastFailure = err
	m.mu.Unlock()
	m.log.Warn("join failed, trying again", zap.Error(err), zap.Duration("after", pause))
	if on := m.cfg.Events.Retrying; on != nil {
		on(Retrying{Err: err, After: pause})
	}
	if reason := reasonFor(err); reason != "" {
		m.standing.requestRejoin(reason, true)
	}
	if pause > 0 && !sleep(ctx, pause) {
		return context.Cause(ctx)
	}
	return nil
}

// assign hands an assignment over to the Protocol.
func (m *Member) assign(a Assignment) error {
	m.assigned, m.kept, m.current = true, false, a
	err := m.guard("Assigned", func() error { return m.protocol.Assigned(m.hard, a) })
	if err != nil {
		return err
	}
	m.log.Info("assigned", zap.Int32("generation", a.Generation.ID), zap.String("member", a.Generation.MemberID),
		zap.String("protocol", a.Generation.Protocol), zap.Bool("leader", a.Leader), zap.Int("bytes", len(a.Bytes)))
	if on := m.cfg.Events.Assigned; on != nil {
		on(a)
	}
	return nil
}

// release makes the Protocol give up what it was assigned or has kept, if there is any (G-492 to G-494, G-483). The error is of a
// Protocol that panics; it is not asked again.
func (m *Member) release(reason string, leaving bool) error {
	if !m.assigned && !m.kept {
		return nil
	}
	if m.assigned && !leaving {
		m.log.Info("joining again", zap.Int32("generation", m.current.Generation.ID), zap.String("reason", reason))
		if on := m.cfg.Events.RejoinNeeded; on != nil {
			on(RejoinNeeded{Generation: m.current.Generation, Reason: reason})
		}
	}
	state, now := m.standing.snapshot()
	r := Release{
		Generation: m.current.Generation,
		Lost:       now.outside() || leaving && state != Stable,
		Leaving:    leaving,
	}
	m.assigned, m.kept = false, false
	err := m.guard("Release", func() error {
		m.kept = m.protocol.Release(m.hard, r) && !r.Lost && !leaving
		return nil
	})
	if on := m.cfg.Events.Released; on != nil && !m.kept {
		on(r)
	}
	return err
}

// end is the end of the member.
func (m *Member) end(err error) {
	m.setOver(err)
	m.stop()
	reason := "the consumer is being closed"
	if !errors.Is(err, ErrClosed) {
		reason = "the member failed"
		m.log.Error("member ended", zap.Error(err))
	}
	if wrong := m.depart(reason); wrong != nil && errors.Is(err, ErrClosed) {
		err = m.explain(wrong)
		m.setOver(err)
	}
	if err := m.session.Close(); err != nil {
		m.log.Warn("closing the session failed", zap.Error(err))
	}
	m.stopHard()
	m.heartbeats.Wait()
	m.standing.forget()
	if on := m.cfg.Events.Ended; on != nil {
		on(m.outcome())
	}
	close(m.closed)
	m.settle(Assignment{}, err)
}
