package coordinator

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// deleteGroupOperation is a DeleteGroups of one group.
type deleteGroupOperation struct {
	change
	deleted *kmsg.DeleteGroupsResponseGroup
}

// deleteGroups answers each group once, however often it is named (G-187 to G-193).
func (c *Coordinator) deleteGroups(ctx context.Context, peer Peer, req *kmsg.DeleteGroupsRequest) (kmsg.Response, error) {
	resp := kmsg.NewPtrDeleteGroupsResponse()
	resp.Version = req.Version
	done := make(map[string]bool, len(req.Groups))
	for _, id := range req.Groups {
		if done[id] {
			continue
		}
		done[id] = true
		op := deleteGroupOperation{deleted: new(kmsg.NewDeleteGroupsResponseGroup())}
		op.deleted.Group = id
		if _, err := c.ask(ctx, peer, &call{groupID: id, op: op, event: group.Event{Kind: group.DeleteGroup}}); err != nil {
			return nil, err
		}
		resp.Groups = append(resp.Groups, *op.deleted)
	}
	return resp, nil
}

func (op deleteGroupOperation) reply(r *group.Reply) kmsg.Response {
	return op.failed(errorOf(r.Error))
}

func (op deleteGroupOperation) failed(code protocol.ErrorCode) kmsg.Response {
	op.deleted.ErrorCode = int16(code)
	return nil
}

func (op deleteGroupOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}
