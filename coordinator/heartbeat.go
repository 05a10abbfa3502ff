package coordinator

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

type heartbeatOperation struct {
	change
	req *kmsg.HeartbeatRequest
}

func (c *Coordinator) heartbeat(ctx context.Context, peer Peer, req *kmsg.HeartbeatRequest) (kmsg.Response, error) {
	op := heartbeatOperation{req: req}
	if req.Group == "" {
		return op.failed(protocol.InvalidGroupID), nil // G-025
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: group.Event{
		Kind: group.Heartbeat, MemberID: req.MemberID, InstanceID: req.InstanceID, Generation: req.Generation,
	}})
}

func (op heartbeatOperation) reply(r *group.Reply) kmsg.Response { return op.failed(errorOf(r.Error)) }

func (op heartbeatOperation) failed(code protocol.ErrorCode) kmsg.Response {
	resp := kmsg.NewPtrHeartbeatResponse()
	resp.Version = op.req.Version
	resp.ErrorCode = int16(code)
	return resp
}

// whileLoading keeps the member: whether it is one will be known soon enough (G-030).
func (op heartbeatOperation) whileLoading() kmsg.Response { return op.failed(protocol.None) }
