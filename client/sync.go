package client

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// syncGroup sends SyncGroup, from the leader with everyone's assignment, and takes its answer in (G-466, G-504, G-505).
func (m *Member) syncGroup(ctx context.Context, g Generation, leader bool, assignments map[string][]byte) (Assignment, error) {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.Generation, req.MemberID, req.InstanceID = m.cfg.Group, g.ID, g.MemberID, m.instanceID()
	req.ProtocolType, req.Protocol = kmsg.StringPtr(m.protocol.Type()), kmsg.StringPtr(g.Protocol)
	for _, member := range slices.Sorted(maps.Keys(assignments)) {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = member, assignments[member]
		req.GroupAssignment = append(req.GroupAssignment, a)
	}
	if on := m.cfg.Events.SyncGroupSent; on != nil {
		on(g)
	}
	resp, err := request[*kmsg.SyncGroupResponse](ctx, m, "SyncGroup", req, m.cfg.joinTimeout())
	if err != nil {
		return Assignment{}, err
	}
	if code := protocol.ErrorCode(resp.ErrorCode); code != protocol.None {
		m.standing.fence("SYNC_GROUP", g, code)
		return Assignment{}, &refusal{api: "SyncGroup", code: code, reaction: syncReactions[code]}
	}
	if resp.ProtocolType != nil && *resp.ProtocolType != m.protocol.Type() ||
		resp.Protocol != nil && *resp.Protocol != g.Protocol {
		return Assignment{}, &refusal{
			api:  fmt.Sprintf("SyncGroup answered with protocol %q of type %q", deref(resp.Protocol), deref(resp.ProtocolType)),
			code: protocol.InconsistentGroupProtocol,
		}
	}
	if !m.standing.synced(g) {
		return Assignment{}, errMovedOn
	}
	a := Assignment{Generation: g, Leader: leader, Bytes: resp.MemberAssignment}
	if on := m.cfg.Events.Synced; on != nil {
		on(a)
	}
	return a, nil
}
