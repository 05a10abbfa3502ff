package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// joinGroup sends JoinGroup and takes its answer in (G-459, G-465). The election is empty of members in a follower.
func (m *Member) joinGroup(ctx context.Context, reason string) (election Election, leader bool, err error) {
	req, err := m.joinRequest(reason)
	if err != nil {
		return election, false, err
	}
	m.quiet() // no heartbeat while the coordinator waits for the others (G-473)
	sent, ok := m.standing.preparing()
	if !ok || m.kept && sent.outside() {
		return election, false, errMovedOn // since Release: what is kept is lost
	}
	req.MemberID = sent.MemberID
	if on := m.cfg.Events.JoinGroupSent; on != nil {
		on(JoinGroupSent{MemberID: sent.MemberID, Offers: m.offered, Reason: reason})
	}
	resp, err := request[*kmsg.JoinGroupResponse](ctx, m, "JoinGroup", req, m.cfg.joinTimeout())
	if err != nil {
		return election, false, err
	}
	if err := m.joinRefused(sent, resp); err != nil {
		return election, false, err
	}
	m.refusals = 0
	m.pauses.reset()
	g := Generation{ID: resp.Generation, MemberID: resp.MemberID, Protocol: deref(resp.Protocol)}
	if !m.standing.joined(g) {
		return election, false, errMovedOn
	}
	m.startHeartbeat(g)
	leader = resp.LeaderID == resp.MemberID
	m.log.Info("joined", zap.Int32("generation", g.ID), zap.String("member", g.MemberID), zap.String("leader", resp.LeaderID),
		zap.String("protocol", g.Protocol), zap.Int("members", len(resp.Members)))
	if on := m.cfg.Events.Joined; on != nil {
		on(Joined{Generation: g, Leader: resp.LeaderID, Members: len(resp.Members)})
	}
	election = Election{Generation: g, Skip: resp.SkipAssignment}
	for _, member := range resp.Members {
		election.Members = append(election.Members,
			JoinedMember{ID: member.MemberID, InstanceID: deref(member.InstanceID), Metadata: member.ProtocolMetadata})
	}
	return election, leader, nil
}

// joinRequest asks the Protocol for its offers and puts them into a JoinGroup.
func (m *Member) joinRequest(reason string) (*kmsg.JoinGroupRequest, error) {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group = m.cfg.Group
	req.SessionTimeoutMillis = millis(m.cfg.SessionTimeout)
	req.RebalanceTimeoutMillis = millis(m.cfg.RebalanceTimeout)
	req.InstanceID = m.instanceID()
	req.ProtocolType = m.protocol.Type()
	req.Reason = kmsg.StringPtr(reason[:min(len(reason), maxReason)])

	var offers []Offer
	if err := m.guard("Offers", func() error { offers = m.protocol.Offers(); return nil }); err != nil {
		return nil, err
	}
	m.offered = nil
	seen := make(map[string]bool, len(offers))
	for _, offer := range offers {
		if seen[offer.Name] {
			return nil, fmt.Errorf("protocol name %q is offered twice: list each protocol once", offer.Name)
		}
		seen[offer.Name] = true
		m.offered = append(m.offered, offer.Name)
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = offer.Name, offer.Metadata
		req.Protocols = append(req.Protocols, p)
	}
	if len(offers) == 0 {
		return nil, errors.New("no protocol is offered: list at least one")
	}
	return req, nil
}

// maxReason is where Java's client cuts a reason (G-101).
const maxReason = 255

// joinRefused applies the table of G-465 to an answer.
func (m *Member) joinRefused(sent Generation, resp *kmsg.JoinGroupResponse) error {
	code := protocol.ErrorCode(resp.ErrorCode)
	switch code {
	case protocol.None:
		if got := deref(resp.ProtocolType); resp.ProtocolType != nil && got != m.protocol.Type() {
			return &refusal{api: fmt.Sprintf("JoinGroup answered with protocol type %q", got), code: protocol.InconsistentGroupProtocol}
		}
		return nil
	case protocol.MemberIDRequired:
		m.standing.memberIDGiven(resp.MemberID)
		m.log.Debug("member id given", zap.String("member", resp.MemberID))
		if on := m.cfg.Events.MemberIDGiven; on != nil {
			on(resp.MemberID)
		}
	case protocol.UnknownMemberID, protocol.FencedInstanceID:
		m.standing.fence("JOIN_GROUP", sent, code)
	}
	m.refusals++
	return &refusal{api: "JoinGroup", code: code, reaction: joinReactions[code]}
}

// performAssignment is the leader's work between JoinGroup and SyncGroup (G-498 to G-500).
func (m *Member) performAssignment(ctx context.Context, e Election) (assignments map[string][]byte, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, m.cfg.RebalanceTimeout)
	defer cancel()
	err = m.guard("PerformAssignment", func() error {
		assignments, err = m.protocol.PerformAssignment(ctx, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if e.Skip {
		assignments = nil
	}
	done := AssignmentComputed{Generation: e.Generation, Members: len(assignments), Elapsed: time.Since(began), Skipped: e.Skip}
	for _, assignment := range assignments {
		done.Bytes += len(assignment)
	}
	if on := m.cfg.Events.AssignmentComputed; on != nil {
		on(done)
	}
	return assignments, nil
}

// guard calls one method of the Protocol and turns a panic into an error.
func (m *Member) guard(method string, call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			m.log.Error("panic in the protocol", zap.String("method", method), zap.Any("panic", r), zap.ByteString("stack", debug.Stack()))
			err = fmt.Errorf("%s of protocol type %q panicked: %v", method, m.protocol.Type(), r)
		}
	}()
	return call()
}
