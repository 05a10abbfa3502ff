package coordinator

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

type leaveOperation struct {
	change
	req *kmsg.LeaveGroupRequest
}

func (c *Coordinator) leave(ctx context.Context, peer Peer, req *kmsg.LeaveGroupRequest) (kmsg.Response, error) {
	op := leaveOperation{req: req}
	if req.Group == "" {
		return op.failed(protocol.InvalidGroupID), nil // G-025
	}
	ev := group.Event{Kind: group.Leave}
	if req.Version < 3 {
		ev.Leaving = []group.LeavingMember{{MemberID: req.MemberID}} // G-157
	} else {
		for _, m := range req.Members {
			ev.Leaving = append(ev.Leaving, group.LeavingMember{MemberID: m.MemberID, InstanceID: m.InstanceID})
		}
	}
	return c.ask(ctx, peer, &call{groupID: req.Group, op: op, event: ev})
}

func (op leaveOperation) reply(r *group.Reply) kmsg.Response {
	resp := kmsg.NewPtrLeaveGroupResponse()
	resp.Version = op.req.Version
	resp.ErrorCode = int16(r.Error)
	if r.Error != group.None {
		return resp
	}
	if resp.Version < 3 {
		resp.ErrorCode = int16(r.Errors[0]) // G-168
		return resp
	}
	resp.Members = make([]kmsg.LeaveGroupResponseMember, len(r.Errors))
	for i, code := range r.Errors { // each as it was asked for (G-166)
		member := &resp.Members[i]
		member.Default()
		member.MemberID, member.InstanceID = op.req.Members[i].MemberID, op.req.Members[i].InstanceID
		member.ErrorCode = int16(code)
	}
	return resp
}

func (op leaveOperation) failed(code protocol.ErrorCode) kmsg.Response {
	return op.reply(&group.Reply{Error: group.Error(code)})
}

func (op leaveOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}
