package protocol

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (l *line) joinGroupRequest(r *kmsg.JoinGroupRequest) {
	l.field("group", l.group(r.Group))
	l.field("session", millis(int64(r.SessionTimeoutMillis)))
	if l.version >= 1 {
		l.field("rebalance", millis(int64(r.RebalanceTimeoutMillis)))
	}
	l.memberID("member", r.MemberID)
	l.nullable("instance", r.InstanceID)
	l.text("type", r.ProtocolType)
	l.list("protocols", texts(r.Protocols, func(p kmsg.JoinGroupRequestProtocol) string {
		return quote(p.Name) + ":" + metadataText(p.Metadata)
	}))
	l.nullable("reason", r.Reason)
}

func (l *line) joinGroupResponse(r *kmsg.JoinGroupResponse) {
	l.code(r.ErrorCode)
	l.number("gen", int64(r.Generation), -1)
	l.nullable("type", r.ProtocolType)
	if r.Protocol != nil && (*r.Protocol != "" || l.version >= 7) { // below v7 empty stands for null (G-098)
		l.field("protocol", quote(*r.Protocol))
	}
	l.memberID("leader", r.LeaderID)
	l.memberID("member", r.MemberID)
	l.list("members", texts(r.Members, func(m kmsg.JoinGroupResponseMember) string {
		return with(l.member(m.MemberID), instanceText(m.InstanceID)) + ":" + metadataText(m.ProtocolMetadata)
	}))
	l.flag("skip", r.SkipAssignment)
}

func (l *line) syncGroupRequest(r *kmsg.SyncGroupRequest) {
	l.field("group", l.group(r.Group))
	l.field("gen", number(r.Generation))
	l.memberID("member", r.MemberID)
	l.nullable("instance", r.InstanceID)
	l.nullable("type", r.ProtocolType)
	l.nullable("protocol", r.Protocol)
	l.list("assignments", texts(r.GroupAssignment, func(a kmsg.SyncGroupRequestGroupAssignment) string {
		return l.member(a.MemberID) + ":" + assignmentText(a.MemberAssignment)
	}))
}

func (l *line) syncGroupResponse(r *kmsg.SyncGroupResponse) {
	l.code(r.ErrorCode)
	l.nullable("type", r.ProtocolType)
	l.nullable("protocol", r.Protocol)
	if len(r.MemberAssignment) > 0 {
		l.field("assignment", assignmentText(r.MemberAssignment))
	}
}

func (l *line) heartbeatRequest(r *kmsg.HeartbeatRequest) {
	l.field("group", l.group(r.Group))
	l.field("gen", number(r.Generation))
	l.memberID("member", r.MemberID)
	l.nullable("instance", r.InstanceID)
}

func (l *line) leaveGroupRequest(r *kmsg.LeaveGroupRequest) {
	l.field("group", l.group(r.Group))
	l.memberID("member", r.MemberID)
	l.list("members", texts(r.Members, func(m kmsg.LeaveGroupRequestMember) string {
		arguments := instanceText(m.InstanceID)
		if m.Reason != nil {
			arguments = append(arguments, "reason="+quote(*m.Reason))
		}
		return with(l.member(m.MemberID), arguments)
	}))
}

func (l *line) leaveGroupResponse(r *kmsg.LeaveGroupResponse) {
	l.code(r.ErrorCode)
	l.list("members", texts(r.Members, func(m kmsg.LeaveGroupResponseMember) string {
		return with(l.member(m.MemberID), instanceText(m.InstanceID)) + ":" + ErrorCode(m.ErrorCode).String()
	}))
}

func (l *line) describeGroupsResponse(r *kmsg.DescribeGroupsResponse) {
	l.field("groups", brackets(texts(r.Groups, func(g kmsg.DescribeGroupsResponseGroup) string {
		about := l.names.line(l.version)
		about.nullable("message", g.ErrorMessage)
		about.text("state", g.State)
		about.text("type", g.ProtocolType)
		about.text("protocol", g.Protocol)
		about.list("members", texts(g.Members, func(m kmsg.DescribeGroupsResponseGroupMember) string {
			arguments := instanceText(m.InstanceID)
			arguments = append(arguments, "client="+quote(m.ClientID))
			if len(m.ProtocolMetadata) > 0 {
				arguments = append(arguments, "metadata="+metadataText(m.ProtocolMetadata))
			}
			if len(m.MemberAssignment) > 0 {
				arguments = append(arguments, "assignment="+assignmentText(m.MemberAssignment))
			}
			return with(l.member(m.MemberID), arguments)
		}))
		return l.group(g.Group) + ":" + with(ErrorCode(g.ErrorCode).String(), about.words())
	})))
}

func (l *line) listGroupsResponse(r *kmsg.ListGroupsResponse) {
	l.code(r.ErrorCode)
	l.list("groups", texts(r.Groups, func(g kmsg.ListGroupsResponseGroup) string {
		about := l.names.line(l.version)
		about.text("type", g.ProtocolType)
		about.text("state", g.GroupState)
		about.text("kind", g.GroupType)
		return with(l.group(g.Group), about.words())
	}))
}

// words returns the line as one argument of with, none if it is empty.
func (l *line) words() []string {
	if l.Len() == 0 {
		return nil
	}
	return []string{l.String()}
}

func instanceText(id *string) []string {
	if id == nil {
		return nil
	}
	return []string{"instance=" + quote(*id)}
}
