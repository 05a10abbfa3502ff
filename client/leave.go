package client

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// depart releases the assignment, with heartbeats still going, and leaves the group. The error is that of release.
func (m *Member) depart(reason string) error {
	err := m.release(reason, true)
	m.quiet()
	m.leave(reason)
	return err
}

// lastWord is how long LeaveGroup may take when Close has stopped waiting: nobody is held up by it, and the group is
// spared the session timeout.
const lastWord = time.Second

// leave sends LeaveGroup: from dynamic members only, since static ones come back (G-479, G-480), and from whoever has
// a member id, even if it is in no generation yet. What comes of it is logged, no more (G-468).
func (m *Member) leave(reason string) {
	_, g := m.standing.snapshot()
	if g.MemberID == "" || m.cfg.InstanceID != "" {
		return
	}
	timeout := m.cfg.RequestTimeout
	if m.hard.Err() != nil {
		timeout = min(timeout, lastWord)
	}
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = m.cfg.Group
	req.MemberID = g.MemberID // below v3
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID, member.Reason = g.MemberID, kmsg.StringPtr(reason)
	req.Members = append(req.Members, member)

	resp, err := request[*kmsg.LeaveGroupResponse](context.WithoutCancel(m.hard), m, "LeaveGroup", req, timeout)
	if err == nil {
		err = leaveRefused(resp)
	}
	if err != nil {
		m.log.Warn("leaving the group failed; its session will expire", zap.String("member", g.MemberID), zap.Error(err))
	} else {
		m.log.Info("left", zap.String("member", g.MemberID), zap.String("reason", reason))
	}
	if on := m.cfg.Events.Left; on != nil {
		on(g, err)
	}
}

// leaveRefused finds the error code that concerns the member.
func leaveRefused(resp *kmsg.LeaveGroupResponse) error {
	code := protocol.ErrorCode(resp.ErrorCode)
	for _, member := range resp.Members {
		if code == protocol.None {
			code = protocol.ErrorCode(member.ErrorCode)
		}
	}
	if code == protocol.None {
		return nil
	}
	return &refusal{api: "LeaveGroup", code: code}
}
