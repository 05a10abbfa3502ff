package coordinator

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// list answers ListGroups with the groups of all partitions, by id (G-182 to G-186).
func (c *Coordinator) list(ctx context.Context, peer Peer, req *kmsg.ListGroupsRequest) (kmsg.Response, error) {
	resp := kmsg.NewPtrListGroupsResponse()
	resp.Version = req.Version
	for _, p := range c.partitions {
		t := &listTask{partition: p, req: req, done: make(chan struct{})}
		p.do(t)
		select {
		case <-t.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-peer.gone:
			return nil, ErrClosed
		}
		if t.code != protocol.None {
			resp.ErrorCode, resp.Groups = int16(t.code), nil
			return resp, nil
		}
		resp.Groups = append(resp.Groups, t.groups...)
	}
	slices.SortFunc(resp.Groups, func(a, b kmsg.ListGroupsResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	return resp, nil
}

// listTask lists the groups of one partition.
type listTask struct {
	partition *partition
	req       *kmsg.ListGroupsRequest
	groups    []kmsg.ListGroupsResponseGroup
	code      protocol.ErrorCode
	done      chan struct{}
}

func (t *listTask) run() {
	defer close(t.done)
	switch t.partition.phase {
	case loading:
		t.code = protocol.CoordinatorLoadInProgress
		return
	case closed: // no longer ours: its groups are somebody else's to list
		return
	}
	for id, r := range t.partition.groups {
		state := r.group.State()
		if state == group.Dead || !t.wanted(state) {
			continue
		}
		g := kmsg.NewListGroupsResponseGroup()
		g.Group, g.ProtocolType, g.GroupState, g.GroupType = id, r.group.ProtocolType(), state.String(), "classic" // G-185
		t.groups = append(t.groups, g)
	}
}

// wanted applies the filters: states are trimmed, types are not (G-183, G-184). Both as Java trims and compares.
func (t *listTask) wanted(state group.State) bool {
	lower := strings.ToLower(state.String())
	if len(t.req.StatesFilter) > 0 && !slices.ContainsFunc(t.req.StatesFilter, func(s string) bool {
		return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })) == lower
	}) {
		return false
	}
	return len(t.req.TypesFilter) == 0 ||
		slices.ContainsFunc(t.req.TypesFilter, func(s string) bool { return strings.ToLower(s) == "classic" })
}
