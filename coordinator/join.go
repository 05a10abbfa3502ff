package coordinator

import (
	"bytes"
	"context"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

type joinOperation struct {
	change
	req *kmsg.JoinGroupRequest
}

func (c *Coordinator) join(ctx context.Context, peer Peer, req *kmsg.JoinGroupRequest) (kmsg.Response, error) {
	op := joinOperation{req: req}
	session := int64(req.SessionTimeoutMillis)
	switch {
	case req.Group == "":
		return op.failed(protocol.InvalidGroupID), nil // G-025
	case session < c.config.MinSessionTimeout.Milliseconds() || session > c.config.MaxSessionTimeout.Milliseconds():
		return op.failed(protocol.InvalidSessionTimeout), nil // G-026
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: op.event(peer)})
}

// event copies what the group will keep: it may be part of a whole frame that a server has read, with more in it than
// that.
func (op joinOperation) event(peer Peer) group.Event {
	req := op.req
	ev := group.Event{
		Kind: group.Join, MemberID: strings.Clone(req.MemberID), ProtocolType: strings.Clone(req.ProtocolType),
		Protocols:        make([]group.Protocol, len(req.Protocols)),
		SessionTimeout:   group.Millis(req.SessionTimeoutMillis),
		RebalanceTimeout: group.Millis(req.RebalanceTimeoutMillis),
		ClientID:         peer.ClientID, ClientHost: peer.Host,
		RequiresKnownID: req.Version >= 4 && req.InstanceID == nil, // KIP-394
		KnowsSkip:       req.Version >= 9,                          // KIP-814
	}
	if req.Version == 0 {
		ev.RebalanceTimeout = ev.SessionTimeout // G-028
	}
	for i, p := range req.Protocols {
		ev.Protocols[i] = group.Protocol{Name: strings.Clone(p.Name), Metadata: bytes.Clone(p.Metadata)}
	}
	if req.InstanceID != nil {
		ev.InstanceID = new(strings.Clone(*req.InstanceID))
	}
	if req.MemberID == "" {
		prefix := peer.ClientID
		if req.InstanceID != nil {
			prefix = *req.InstanceID
		}
		ev.NewMemberID = prefix + "-" + newUUID() // G-017, G-018
	}
	return ev
}

func (op joinOperation) reply(r *group.Reply) kmsg.Response {
	resp := op.response()
	resp.ErrorCode = int16(r.Error)
	resp.Generation = r.Generation
	resp.LeaderID, resp.MemberID = r.LeaderID, r.MemberID
	resp.SkipAssignment = r.Skip
	if r.ProtocolType != "" {
		resp.ProtocolType = new(r.ProtocolType)
	}
	if r.ProtocolName != "" || op.req.Version < 7 {
		resp.Protocol = new(r.ProtocolName) // G-098
	}
	resp.Members = make([]kmsg.JoinGroupResponseMember, len(r.Members))
	for i, m := range r.Members {
		member := &resp.Members[i]
		member.Default()
		member.MemberID, member.InstanceID, member.ProtocolMetadata = m.ID, m.InstanceID, m.Metadata
	}
	return resp
}

func (op joinOperation) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code), Generation: -1, MemberID: op.req.MemberID}) // G-099
}

func (op joinOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}

func (op joinOperation) response() *kmsg.JoinGroupResponse {
	resp := kmsg.NewPtrJoinGroupResponse()
	resp.Version = op.req.Version
	return resp
}
