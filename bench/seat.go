package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// A seat is a member of a group without a client.Member: who it is, and the session over which it says so. It does
// nothing by itself.
type seat struct {
	session    protocol.Session
	group      string
	memberID   string // empty before it has joined
	generation int32
}

// ask sends a request and returns the response as the type it must have.
func ask[R kmsg.Response](ctx context.Context, session protocol.Session, req kmsg.Request) (resp R, err error) {
	answer, err := session.Request(ctx, req)
	if err != nil {
		return resp, err
	}
	resp, ok := answer.(R)
	if !ok {
		return resp, fmt.Errorf("%T is answered by %T", req, answer)
	}
	return resp, nil
}

// join joins the group, syncs, and leads if it is told to.
func (s *seat) join(ctx context.Context) error {
	joined, err := s.joinGroup(ctx)
	if err == nil && protocol.ErrorCode(joined.ErrorCode) == protocol.MemberIDRequired {
		s.memberID = joined.MemberID
		joined, err = s.joinGroup(ctx)
	}
	if err != nil {
		return err
	}
	if err := protocol.ErrorCode(joined.ErrorCode).Err(); err != nil {
		return fmt.Errorf("JoinGroup of group %s: %w", s.group, err)
	}
	s.memberID, s.generation = joined.MemberID, joined.Generation
	return s.syncGroup(ctx, joined)
}

func (s *seat) joinGroup(ctx context.Context) (*kmsg.JoinGroupResponse, error) {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.ProtocolType = s.group, s.memberID, protocolType
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 45_000, 300_000
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = offers[0].Name, offers[0].Metadata
	req.Protocols = append(req.Protocols, p)
	return ask[*kmsg.JoinGroupResponse](ctx, s.session, req)
}

// syncGroup sends SyncGroup, from the leader with everyone's assignment, as the list of members in its join says.
func (s *seat) syncGroup(ctx context.Context, joined *kmsg.JoinGroupResponse) error {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = s.group, s.memberID, s.generation
	req.ProtocolType, req.Protocol = new(protocolType), joined.Protocol
	for _, m := range joined.Members {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = m.MemberID, assignment
		req.GroupAssignment = append(req.GroupAssignment, a)
	}
	synced, err := ask[*kmsg.SyncGroupResponse](ctx, s.session, req)
	if err != nil {
		return err
	}
	if err := protocol.ErrorCode(synced.ErrorCode).Err(); err != nil {
		return fmt.Errorf("SyncGroup of group %s: %w", s.group, err)
	}
	return nil
}

// beat sends a heartbeat. The error may be its code.
func (s *seat) beat(ctx context.Context) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = s.group, s.memberID, s.generation
	resp, err := ask[*kmsg.HeartbeatResponse](ctx, s.session, req)
	if err != nil {
		return err
	}
	return protocol.ErrorCode(resp.ErrorCode).Err()
}
