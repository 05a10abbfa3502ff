package script

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func joinGroup(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrJoinGroupRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "session", set: millis(&r.SessionTimeoutMillis)},
		{name: "rebalance", from: 1, set: millis(&r.RebalanceTimeoutMillis)},
		{name: "member", set: n.member(&r.MemberID)},
		{name: "instance", from: 5, set: nullable(&r.InstanceID)},
		{name: "type", set: text(&r.ProtocolType)},
		{name: "protocols", set: each(func(entry string) error {
			name, value, _, err := cut(entry, ':')
			if err != nil {
				return err
			}
			p := kmsg.NewJoinGroupRequestProtocol()
			if p.Name, err = unquote(name); err != nil {
				return err
			}
			p.Metadata, err = n.metadata(value)
			r.Protocols = append(r.Protocols, p)
			return err
		})},
		{name: "reason", from: 8, set: nullable(&r.Reason)},
	}
}

func syncGroup(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrSyncGroupRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "gen", set: integer(&r.Generation)},
		{name: "member", set: n.member(&r.MemberID)},
		{name: "instance", from: 3, set: nullable(&r.InstanceID)},
		{name: "type", from: 5, set: nullable(&r.ProtocolType)},
		{name: "protocol", from: 5, set: nullable(&r.Protocol)},
		{name: "assignments", set: each(func(entry string) error {
			member, value, found, err := cut(entry, ':')
			if err != nil || !found {
				return fmt.Errorf("%s is no assignment; write $A:orders/0-3", entry)
			}
			a := kmsg.NewSyncGroupRequestGroupAssignment()
			if err := n.member(&a.MemberID)(member); err != nil {
				return err
			}
			a.MemberAssignment, err = n.assignment(value)
			r.GroupAssignment = append(r.GroupAssignment, a)
			return err
		})},
	}
}

func heartbeat(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrHeartbeatRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "gen", set: integer(&r.Generation)},
		{name: "member", set: n.member(&r.MemberID)},
		{name: "instance", from: 3, set: nullable(&r.InstanceID)},
	}
}

func leaveGroup(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrLeaveGroupRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "member", to: 2, set: n.member(&r.MemberID)},
		{name: "members", from: 3, set: each(func(entry string) error {
			head, args, _, err := cutArguments(entry)
			if err != nil {
				return err
			}
			m := kmsg.NewLeaveGroupRequestMember()
			fields := []field{
				{name: "instance", set: nullable(&m.InstanceID)},
				{name: "reason", from: 5, set: nullable(&m.Reason)},
			}
			if err := n.member(&m.MemberID)(head); err != nil {
				return err
			}
			err = setAll("a leaving member", args, fields)
			r.Members = append(r.Members, m)
			return err
		})},
	}
}
