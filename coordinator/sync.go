package coordinator

import (
	"bytes"
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

type syncOperation struct {
	change
	req *kmsg.SyncGroupRequest
}

func (c *Coordinator) sync(ctx context.Context, peer Peer, req *kmsg.SyncGroupRequest) (kmsg.Response, error) {
	op := syncOperation{req: req}
	names := req.Version >= 5 // KIP-559
	switch {
	case names && (req.ProtocolType == nil || req.Protocol == nil):
		return op.failed(protocol.InconsistentGroupProtocol), nil // G-023
	case req.Group == "":
		return op.failed(protocol.InvalidGroupID), nil // G-025
	}
	ev := group.Event{
		Kind: group.Sync, MemberID: req.MemberID, InstanceID: req.InstanceID, Generation: req.Generation,
		NamesProtocol: names, Assignments: make([]group.Assignment, len(req.GroupAssignment)),
	}
	if names {
		ev.ProtocolType, ev.ProtocolName = *req.ProtocolType, *req.Protocol
	}
	for i, a := range req.GroupAssignment {
		ev.Assignments[i] = group.Assignment{MemberID: a.MemberID, Assignment: bytes.Clone(a.MemberAssignment)}
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: ev})
}

func (op syncOperation) reply(r *group.Reply) kmsg.Response {
	resp := kmsg.NewPtrSyncGroupResponse()
	resp.Version = op.req.Version
	resp.ErrorCode = int16(r.Error)
	resp.MemberAssignment = r.Assignment
	if r.Error == group.None { // G-116
		resp.ProtocolType, resp.Protocol = new(r.ProtocolType), new(r.ProtocolName)
	}
	return resp
}

func (op syncOperation) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code)})
}

// whileLoading makes the client join again. Kafka answers COORDINATOR_LOAD_IN_PROGRESS, which its own client takes for
// a fatal error (G-031, G-466).
func (op syncOperation) whileLoading() kmsg.Response { return op.failed(protocol.RebalanceInProgress) }
