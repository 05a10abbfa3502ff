package client

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// startHeartbeat begins the heartbeats of generation g: as soon as JoinGroup is answered, since the leader's
// assignment may take long (G-473).
func (m *Member) startHeartbeat(g Generation) {
	ctx, cancel := context.WithCancel(m.hard)
	m.stopHeartbeat = cancel
	m.heartbeats.Go(func() { m.heartbeat(ctx, g) })
}

// quiet ends the heartbeats of the last generation. An answer that is still under way is dropped.
func (m *Member) quiet() {
	if m.stopHeartbeat != nil {
		m.stopHeartbeat()
		m.stopHeartbeat = nil
	}
}

// heartbeat is the goroutine that keeps one generation alive. It ends with the generation: told by ctx, by the
// coordinator, or by what somebody else learnt from it.
func (m *Member) heartbeat(ctx context.Context, g Generation) {
	pauses := backoff{min: m.cfg.RetryBackoff, max: m.cfg.RetryBackoffMax}
	timer := time.NewTimer(m.cfg.HeartbeatInterval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if _, now := m.standing.snapshot(); now != g {
			return
		}
		sent := time.Now()
		err := m.beat(ctx, g)
		switch {
		case err == nil:
			pauses.reset()
			// The interval counts from sending (G-475). After an answer that took longer it is a moment, and not nothing:
			// goroutines of a testing/synctest bubble that find timers due at once break Go 1.26's race detector.
			timer.Reset(max(time.Millisecond, m.cfg.HeartbeatInterval-time.Since(sent)))
		case ctx.Err() != nil:
			return
		default:
			m.log.Warn("heartbeat failed, trying again", zap.Int32("generation", g.ID), zap.Error(err))
			timer.Reset(pauses.next())
		}
	}
}

// beat sends one heartbeat and applies the table of G-467. One that stays unanswered for the session timeout is given
// up, whereupon the session looks for the coordinator anew (G-474). The error is of a heartbeat that must be repeated.
func (m *Member) beat(ctx context.Context, g Generation) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation, req.MemberID, req.InstanceID = m.cfg.Group, g.ID, g.MemberID, m.instanceID()
	timeout := min(m.cfg.RequestTimeout, m.cfg.SessionTimeout)
	resp, err := request[*kmsg.HeartbeatResponse](ctx, m, "Heartbeat", req, timeout)
	if err != nil {
		return err
	}
	switch code := protocol.ErrorCode(resp.ErrorCode); code {
	case protocol.None:
		return nil
	case protocol.RebalanceInProgress, protocol.IllegalGeneration, protocol.UnknownMemberID, protocol.FencedInstanceID:
		m.standing.fence("HEARTBEAT", g, code)
		return nil
	default:
		return &refusal{api: "Heartbeat", code: code}
	}
}
