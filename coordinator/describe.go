package coordinator

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// describeOperation is a DescribeGroups of one group.
type describeOperation struct {
	version   int16
	described *kmsg.DescribeGroupsResponseGroup
}

func (c *Coordinator) describe(ctx context.Context, peer Peer, req *kmsg.DescribeGroupsRequest) (kmsg.Response, error) {
	resp := kmsg.NewPtrDescribeGroupsResponse()
	resp.Version = req.Version
	for _, id := range req.Groups {
		op := describeOperation{version: req.Version, described: new(kmsg.NewDescribeGroupsResponseGroup())}
		op.described.Group = id
		if _, err := c.ask(ctx, peer, &call{groupID: id, op: op}); err != nil {
			return nil, err
		}
		resp.Groups = append(resp.Groups, *op.described)
	}
	return resp, nil
}

func (op describeOperation) waitsForStore() bool { return false }

// read describes the group as it is now, also while it waits for the store (G-173 to G-180).
func (op describeOperation) read(g *group.Group) bool {
	d := g.Describe()
	out := op.described
	out.State, out.ProtocolType, out.Protocol = d.State.String(), d.ProtocolType, d.Protocol
	if d.State == group.Dead && op.version >= 6 { // G-602
		out.ErrorCode = int16(protocol.GroupIDNotFound)
		out.ErrorMessage = new("Group " + out.Group + " not found.")
	}
	out.Members = make([]kmsg.DescribeGroupsResponseGroupMember, len(d.Members))
	for i, m := range d.Members {
		member := &out.Members[i]
		member.Default()
		member.MemberID, member.InstanceID, member.ClientID, member.ClientHost = m.ID, m.InstanceID, m.ClientID, m.ClientHost
		member.ProtocolMetadata, member.MemberAssignment = m.Metadata, m.Assignment
	}
	return true
}

func (op describeOperation) failed(code protocol.ErrorCode) kmsg.Response {
	op.described.ErrorCode = int16(code)
	return nil
}

func (op describeOperation) whileLoading() kmsg.Response {
	return op.failed(protocol.CoordinatorLoadInProgress)
}

func (op describeOperation) reply(*group.Reply) kmsg.Response { return nil }
