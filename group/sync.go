package group

// stepSync handles a SyncGroup (G-102 to G-115, matrix G-226).
func (g *Group) stepSync(ev *Event, out *Output) {
	m, code := g.validateSync(ev)
	switch {
	case code != None:
		out.Replies = append(out.Replies, Reply{Token: ev.Token, Kind: Sync, Error: code})
	case g.state == Stable:
		g.synced(m)
		out.Replies = append(out.Replies, g.syncReply(ev.Token, m))
	default: // CompletingRebalance
		g.parkSync(m, ev, out)
		if m == g.leader {
			g.storeAssignments(ev.Assignments, out)
		}
	}
}

// validateSync finds the sender, or the code to answer it with (G-102, G-104, G-105).
func (g *Group) validateSync(ev *Event) (*member, Error) {
	m, code := g.validate(ev.MemberID, ev.InstanceID)
	chosen := g.state != PreparingRebalance || g.previous != Empty // a name, which may be the empty one
	switch {
	case code != None:
		return nil, code
	case ev.Generation != g.generation:
		return nil, IllegalGeneration
	case ev.NamesProtocol && (ev.ProtocolType != g.protocolType || chosen && ev.ProtocolName != g.protocol):
		return nil, InconsistentGroupProtocol
	case g.state == PreparingRebalance:
		return nil, RebalanceInProgress // G-106
	}
	return m, None
}

// parkSync keeps a SyncGroup until the leader's assignment is stored (G-107).
func (g *Group) parkSync(m *member, ev *Event, out *Output) {
	if m.sync != 0 {
		g.supersede(Sync, m.sync, out) // G-015
	}
	m.sync = ev.Token
	g.synced(m)
}

// storeAssignments asks to store the generation with what its leader gave to each member; who is not named gets
// nothing, and who is no member is left out (G-108, G-110).
func (g *Group) storeAssignments(assignments []Assignment, out *Output) {
	given := make(map[string][]byte, len(assignments))
	for i := range assignments {
		given[assignments[i].MemberID] = assignments[i].Assignment
	}
	g.batch = assignmentBatch
	metadata := g.metadata()
	for i := range metadata.Members {
		metadata.Members[i].Assignment = given[metadata.Members[i].ID]
	}
	out.Records = append(out.Records, Record{Kind: MetadataRecord, Metadata: metadata})
}

// metadata describes the generation as a record. Its timestamp is that of the state in which it is written: for an
// assignment, the end of the join phase.
func (g *Group) metadata() *Metadata {
	metadata := &Metadata{
		ProtocolType: g.protocolType, Generation: g.generation, Protocol: g.protocol, Leader: g.leader.id,
		Timestamp: g.since, Members: make([]MemberMetadata, 0, g.members.len()),
	}
	for m := range g.members.all {
		metadata.Members = append(metadata.Members, MemberMetadata{
			ID: m.id, InstanceID: m.instanceID, ClientID: m.clientID, ClientHost: m.clientHost,
			RebalanceTimeout: m.rebalanceTimeout, SessionTimeout: m.sessionTimeout,
			Subscription: m.metadata(g.protocol), Assignment: m.assignment,
		})
	}
	return metadata
}

// answerSyncs answers every parked sync and restarts those members' sessions, since their time-outs were ignored while
// they waited (G-111, G-132).
func (g *Group) answerSyncs(now Time, code Error, out *Output) {
	for m := range g.members.all {
		if m.sync == 0 {
			continue
		}
		reply := Reply{Token: m.sync, Kind: Sync, Error: code}
		if code == None {
			reply = g.syncReply(m.sync, m)
		}
		out.Replies = append(out.Replies, reply)
		m.sync = 0
		g.touch(now, m)
	}
}

func (g *Group) syncReply(token Token, m *member) Reply {
	return Reply{
		Token: token, Kind: Sync, ProtocolType: g.protocolType, ProtocolName: g.protocol, Assignment: m.assignment,
	}
}

// resetAssignments takes back what members were assigned and answers their parked syncs with an error (G-067, G-112).
func (g *Group) resetAssignments(now Time, code Error, out *Output) {
	for m := range g.members.all {
		m.assignment = nil
	}
	g.answerSyncs(now, code, out)
}

// synced takes the member out of those whose sync is awaited, and ends the wait with the last (G-107).
func (g *Group) synced(m *member) {
	if !m.toSync {
		return
	}
	m.toSync = false
	if g.toSync--; g.toSync == 0 {
		g.timers.cancel(&g.sync)
	}
}

// endSyncPhase forgets whose syncs are awaited.
func (g *Group) endSyncPhase() {
	g.timers.cancel(&g.sync)
	if g.toSync == 0 {
		return
	}
	g.toSync = 0
	for m := range g.members.all {
		m.toSync = false
	}
}

// syncPhaseTimedOut removes who has not synced, the leader and static members too, and starts over (G-118 to G-121).
// The timer never outlives its generation, so nothing compares generations here.
func (g *Group) syncPhaseTimedOut(now Time, out *Output) {
	why := Reason{Cause: SyncExpired}
	for m := range g.members.all {
		if m.toSync {
			why.MemberID = m.id
			g.remove(m, SyncExpired, out)
		}
	}
	g.prepareRebalance(now, why, out)
}
