package kgotransport

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// groupOf returns the group whose coordinator a request is for; false for one that any broker answers.
func groupOf(req kmsg.Request) (string, bool) {
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		return req.Group, true
	case *kmsg.SyncGroupRequest:
		return req.Group, true
	case *kmsg.HeartbeatRequest:
		return req.Group, true
	case *kmsg.LeaveGroupRequest:
		return req.Group, true
	case *kmsg.OffsetCommitRequest:
		return req.Group, true
	case *kmsg.OffsetFetchRequest:
		if req.Group == "" && len(req.Groups) > 0 {
			return req.Groups[0].Group, true
		}
		return req.Group, true
	}
	return "", false
}

// movedAway reports whether an answer says that the broker is not, or not now, the group's coordinator (G-465 to G-467,
// G-470, G-471).
func movedAway(resp kmsg.Response) bool {
	switch resp := resp.(type) {
	case *kmsg.JoinGroupResponse:
		return moved(resp.ErrorCode)
	case *kmsg.SyncGroupResponse:
		return moved(resp.ErrorCode)
	case *kmsg.HeartbeatResponse:
		return moved(resp.ErrorCode)
	case *kmsg.LeaveGroupResponse:
		return moved(resp.ErrorCode)
	case *kmsg.OffsetCommitResponse:
		for _, topic := range resp.Topics {
			for _, partition := range topic.Partitions {
				if moved(partition.ErrorCode) || protocol.ErrorCode(partition.ErrorCode) == protocol.RequestTimedOut {
					return true
				}
			}
		}
	case *kmsg.OffsetFetchResponse:
		return fetchMoved(resp)
	}
	return false
}

// fetchMoved looks where each version of OffsetFetch has its errors: with the partitions in v1, on top up to v7, with
// the group from v8 on.
func fetchMoved(resp *kmsg.OffsetFetchResponse) bool {
	for _, group := range resp.Groups {
		if moved(group.ErrorCode) {
			return true
		}
	}
	for _, topic := range resp.Topics {
		for _, partition := range topic.Partitions {
			if moved(partition.ErrorCode) {
				return true
			}
		}
	}
	return moved(resp.ErrorCode)
}

func moved(code int16) bool {
	return protocol.ErrorCode(code) == protocol.NotCoordinator || protocol.ErrorCode(code) == protocol.CoordinatorNotAvailable
}
