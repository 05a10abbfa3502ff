package group

// stepJoin handles a JoinGroup: is the group there, is there room, do the protocols fit, who is it, and then what its
// state says (G-048).
func (g *Group) stepJoin(now Time, ev *Event, out *Output) {
	created := false
	if g.state == Dead {
		if ev.MemberID != "" {
			g.refuseJoin(ev, UnknownMemberID, ev.MemberID, out) // G-034
			return
		}
		g.create(now, out) // G-035
		created = true
	}
	g.admitJoin(now, ev, out)
	if created && g.batch == noBatch {
		// The group must be durable, but the answer does not wait for it (G-036).
		g.batch = creationBatch
		out.Records = append(out.Records, Record{Kind: MetadataRecord, Metadata: &Metadata{Timestamp: now}})
	}
}

// create makes the group Empty in generation 0 (G-004).
func (g *Group) create(now Time, out *Output) {
	g.become(now, Empty, Reason{Cause: GroupCreated}, out)
}

func (g *Group) admitJoin(now Time, ev *Event, out *Output) {
	protocols := distinct(ev.Protocols)
	m := g.members.byID[ev.MemberID]
	switch {
	case !g.hasRoom(m):
		g.evict(m, ev.MemberID, out)
		g.refuseJoin(ev, GroupMaxSizeReached, "", out)
	case !g.supports(ev.ProtocolType, protocols):
		g.refuseJoin(ev, InconsistentGroupProtocol, ev.MemberID, out)
	case ev.MemberID == "":
		g.joinWithoutID(now, ev, protocols, out)
	default:
		g.joinWithID(now, ev, protocols, out)
	}
}

// hasRoom tells whether a join is admitted, judged by the state on its arrival (G-040); m is nil for who is no member.
func (g *Group) hasRoom(m *member) bool {
	switch g.state {
	case PreparingRebalance:
		return m != nil && m.join != 0 || g.parkedJoins < g.config.MaxSize
	case CompletingRebalance, Stable:
		return m != nil || g.members.len() < g.config.MaxSize
	}
	return true
}

// evict removes whoever a full group refused, without a rebalance (G-041).
func (g *Group) evict(m *member, id string, out *Output) {
	g.forget(id)
	if m != nil {
		g.remove(m, Refusal, out)
	}
}

// supports tells whether the group can take a member with these protocols (G-045).
func (g *Group) supports(protocolType string, protocols []Protocol) bool {
	if g.state == Empty {
		return protocolType != "" && len(protocols) > 0
	}
	if protocolType != g.protocolType {
		return false
	}
	for i := range protocols {
		if g.supported[protocols[i].Name] == g.members.len() {
			return true
		}
	}
	return false
}

func (g *Group) joinWithoutID(now Time, ev *Event, protocols []Protocol, out *Output) {
	switch {
	case ev.InstanceID != nil && g.instances[*ev.InstanceID] != nil:
		g.replaceStatic(now, ev, protocols, out) // G-052
	case ev.InstanceID != nil || !ev.RequiresKnownID:
		g.addJoiner(now, ev, ev.NewMemberID, protocols, out) // G-050, G-051
	case len(g.pending) >= g.config.MaxPending:
		g.refuseJoin(ev, GroupMaxSizeReached, "", out)
	default:
		g.memberCounter++
		t := &timer{kind: pendingTimer, id: ev.NewMemberID, order: g.memberCounter}
		if g.pending == nil {
			g.pending = make(map[string]*timer)
		}
		g.pending[ev.NewMemberID] = t
		g.timers.schedule(t, now.after(ev.SessionTimeout))
		g.refuseJoin(ev, MemberIDRequired, ev.NewMemberID, out) // G-049
	}
}

func (g *Group) joinWithID(now Time, ev *Event, protocols []Protocol, out *Output) {
	if g.pending[ev.MemberID] != nil {
		if ev.InstanceID != nil {
			g.refuseJoin(ev, UnknownServerError, "", out) // G-057
			return
		}
		g.addJoiner(now, ev, ev.MemberID, protocols, out)
		return
	}
	m, code := g.validate(ev.MemberID, ev.InstanceID)
	if code != None {
		g.refuseJoin(ev, code, ev.MemberID, out) // G-058
		return
	}
	reason := Reason{MemberID: m.id}
	switch {
	case g.state == PreparingRebalance:
		reason.Cause = Joined
	case !m.matches(protocols):
		reason.Cause = MetadataChanged // G-061, G-063
	case g.state == Stable && m == g.leader:
		reason.Cause = LeaderRejoined // G-062
	default:
		// The answer to its join may have been lost: tell it again (G-060, G-064).
		reply := g.joinReply(m)
		reply.Token = ev.Token
		out.Replies = append(out.Replies, reply)
		return
	}
	g.updateJoiner(m, ev, protocols, out)
	g.rebalanceOrCompleteJoin(now, reason, out)
}

// addJoiner makes the sender a member with its join parked (G-055).
func (g *Group) addJoiner(now Time, ev *Event, id string, protocols []Protocol, out *Output) {
	if g.state == PreparingRebalance && g.previous == Empty {
		g.newMember = true // G-056
	}
	m := &member{
		id: id, instanceID: ev.InstanceID, clientID: ev.ClientID, clientHost: ev.ClientHost,
		sessionTimeout: ev.SessionTimeout, rebalanceTimeout: ev.RebalanceTimeout, protocols: protocols,
		join: ev.Token, isNew: true,
	}
	g.add(m, ev.ProtocolType)
	g.parkedJoins++
	g.timers.schedule(&m.session, now.after(newMemberJoinTimeout))
	g.rebalanceOrCompleteJoin(now, Reason{Cause: Joined, MemberID: id}, out)
}

// updateJoiner takes over what a member's new join says and parks it (G-013, G-015).
func (g *Group) updateJoiner(m *member, ev *Event, protocols []Protocol, out *Output) {
	g.countSupport(m.protocols, -1)
	g.countSupport(protocols, +1)
	m.protocols, m.sessionTimeout, m.rebalanceTimeout = protocols, ev.SessionTimeout, ev.RebalanceTimeout
	if m.join != 0 {
		g.supersede(Join, m.join, out)
	} else {
		g.parkedJoins++
	}
	m.join = ev.Token
}

// unparkJoin answers a member's parked join.
func (g *Group) unparkJoin(m *member, reply Reply, out *Output) {
	reply.Token, reply.Kind = m.join, Join
	out.Replies = append(out.Replies, reply)
	m.join = 0
	g.parkedJoins--
}

// refuseJoin answers a join at once with an error (G-099).
func (g *Group) refuseJoin(ev *Event, code Error, memberID string, out *Output) {
	out.Replies = append(out.Replies, joinError(ev.Token, code, memberID))
}

func joinError(token Token, code Error, memberID string) Reply {
	return Reply{Token: token, Kind: Join, Error: code, MemberID: memberID, Generation: -1}
}

// joinReply tells a member of the current generation; the leader gets all members' metadata (G-085, G-095, G-096).
func (g *Group) joinReply(m *member) Reply {
	reply := Reply{
		Kind: Join, MemberID: m.id, Generation: g.generation,
		ProtocolType: g.protocolType, ProtocolName: g.protocol, LeaderID: g.leader.id,
	}
	if m == g.leader {
		reply.Members = g.joinedMembers()
	}
	return reply
}

func (g *Group) joinedMembers() []JoinedMember {
	members := make([]JoinedMember, 0, g.members.len())
	for m := range g.members.all {
		members = append(members, JoinedMember{ID: m.id, InstanceID: m.instanceID, Metadata: m.metadata(g.protocol)})
	}
	return members
}
