package group

// replaced is what a static member was before the replacement that waits for the store, in case it fails (G-149).
type replaced struct {
	member    *member
	id        string
	leaderID  string
	protocols []Protocol
	session   Millis
	rebalance Millis
	toSync    bool
	knowsSkip bool
}

// replaceStatic gives a static member that came back without its id a new one (KIP-345, G-141 to G-154). Its place in
// the group, its client id and host and, if it led, its leadership stay; whoever held the old id is fenced.
func (g *Group) replaceStatic(now Time, ev *Event, protocols []Protocol, out *Output) {
	m := g.instances[*ev.InstanceID]
	old := replaced{
		member: m, id: m.id, leaderID: g.leader.id, protocols: m.protocols,
		session: m.sessionTimeout, rebalance: m.rebalanceTimeout, toSync: m.toSync, knowsSkip: ev.KnowsSkip,
	}
	if m.join != 0 {
		g.unparkJoin(m, joinError(0, FencedInstanceID, m.id), out)
	}
	if m.sync != 0 {
		out.Replies = append(out.Replies, Reply{Token: m.sync, Kind: Sync, Error: FencedInstanceID})
		m.sync = 0
	}
	g.rename(m, ev.NewMemberID)
	m.isNew = false
	m.toSync = false // but the count still has the old id: the sync timer will find it missing (G-145)
	g.touch(now, m)  // with the old time-out, until the first heartbeat
	g.updateJoiner(m, ev, protocols, out)

	if g.state == Stable && g.vote() == g.protocol {
		// Only the name of the protocol counts, not what the member subscribes to (G-151).
		g.batch = replacementBatch
		g.replaced = old
		out.Records = append(out.Records, Record{Kind: MetadataRecord, Metadata: g.metadata()})
		return
	}
	out.Removals = append(out.Removals, Removal{MemberID: old.id, Cause: Replaced})
	g.rebalanceOrCompleteJoin(now, Reason{Cause: Replaced, MemberID: m.id}, out)
}

// replacementStored answers the join of a member that was replaced without a rebalance. A sender that does not know
// how to skip the assignment is told the leader as it was before, so that it never acts as one (G-147, G-148).
func (g *Group) replacementStored(out *Output) {
	old := g.replaced
	g.replaced = replaced{}
	out.Removals = append(out.Removals, Removal{MemberID: old.id, Cause: Replaced})
	reply := g.joinReply(old.member)
	reply.Skip = old.member == g.leader && old.knowsSkip
	if !old.knowsSkip {
		reply.Members, reply.LeaderID = nil, old.leaderID
	}
	g.unparkJoin(old.member, reply, out)
}

// replacementRefused makes the member again what it was (G-149).
func (g *Group) replacementRefused(now Time, code Error, out *Output) {
	old := g.replaced
	g.replaced = replaced{}
	m := old.member
	g.unparkJoin(m, Reply{
		Error: code, Generation: g.generation, ProtocolType: g.protocolType, ProtocolName: g.protocol, LeaderID: old.leaderID,
	}, out)
	g.countSupport(m.protocols, -1)
	g.countSupport(old.protocols, +1)
	m.protocols, m.sessionTimeout, m.rebalanceTimeout, m.toSync = old.protocols, old.session, old.rebalance, old.toSync
	g.rename(m, old.id)
	g.touch(now, m)
}

func (g *Group) rename(m *member, id string) {
	delete(g.members.byID, m.id)
	m.id, m.session.id = id, id
	g.members.byID[id] = m
}
