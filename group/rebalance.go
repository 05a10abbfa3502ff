package group

// rebalanceOrCompleteJoin follows a join or a change of members: it starts a rebalance where none is under way, or
// looks whether the one under way has everybody now (G-055, G-059).
func (g *Group) rebalanceOrCompleteJoin(now Time, why Reason, out *Output) {
	if g.state != PreparingRebalance {
		g.prepareRebalance(now, why, out)
		return
	}
	// Joins never cut the initial delay short (G-073, G-078).
	if g.previous != Empty && g.allJoined() {
		g.completeJoin(now, out)
	}
}

// prepareRebalance starts a join phase (G-067).
func (g *Group) prepareRebalance(now Time, why Reason, out *Output) {
	if g.state == CompletingRebalance {
		g.resetAssignments(now, RebalanceInProgress, out)
	}
	g.endSyncPhase()
	initial := g.state == Empty
	g.become(now, PreparingRebalance, why, out)
	switch {
	case initial:
		g.startInitialDelay(now)
	case g.allJoined():
		g.completeJoin(now, out)
	default:
		g.timers.schedule(&g.join, now.after(g.rebalanceTimeout()))
	}
}

// allJoined tells whether nobody is left to wait for (G-054, G-068).
func (g *Group) allJoined() bool { return g.parkedJoins == g.members.len() && len(g.pending) == 0 }

// startInitialDelay gives the first members of an Empty group time to find each other (KIP-134, G-069).
func (g *Group) startInitialDelay(now Time) {
	delay := g.config.InitialRebalanceDelay
	g.delayLeft = max(g.rebalanceTimeout()-delay, 0)
	g.timers.schedule(&g.join, now.after(delay))
}

// joinPhaseTimedOut ends the initial delay, or prolongs it by a step if somebody joined in the last one (G-070); a
// join phase that is not the first ends with whoever has joined (G-077).
func (g *Group) joinPhaseTimedOut(now Time, out *Output) {
	if g.previous != Empty || !g.newMember || g.delayLeft == 0 {
		g.completeJoin(now, out)
		return
	}
	g.newMember = false
	step := min(g.config.InitialRebalanceDelay, g.delayLeft)
	g.delayLeft -= step
	g.timers.schedule(&g.join, now.after(step))
}

// completeJoin ends the join phase: whoever did not come is out, a generation begins, and everyone is told
// (G-079 to G-086).
func (g *Group) completeJoin(now Time, out *Output) {
	g.timers.cancel(&g.join)
	for m := range g.members.all {
		if m.join == 0 && !m.static() {
			g.remove(m, JoinExpired, out)
		}
	}
	if g.members.len() == 0 {
		g.becomeEmpty(now, out)
		return
	}
	if !g.electLeader() {
		// Only static members are left, and all are away: wait for one of them, or for their sessions' end (G-081). A
		// time-out of nothing, which a peer may well send (G-027), must not make this turn on the spot.
		g.timers.schedule(&g.join, now.after(max(g.rebalanceTimeout(), minAbsentWait)))
		return
	}
	g.generation++
	g.protocol = g.vote()
	g.noteSubscribed()
	g.become(now, CompletingRebalance, Reason{Cause: AllJoined}, out)
	for m := range g.members.all {
		if m.join != 0 {
			g.unparkJoin(m, g.joinReply(m), out)
		}
		m.isNew = false
		m.toSync = true
		g.touch(now, m)
	}
	g.toSync = g.members.len()
	g.timers.schedule(&g.sync, now.after(g.rebalanceTimeout()))
}

// becomeEmpty ends a join phase that nobody is left in (G-082, G-084).
func (g *Group) becomeEmpty(now Time, out *Output) {
	g.generation++
	g.protocol = ""
	g.noteSubscribed()
	g.become(now, Empty, Reason{Cause: AllJoined}, out)
	g.batch = emptyBatch
	out.Records = append(out.Records, Record{Kind: MetadataRecord, Metadata: &Metadata{
		ProtocolType: g.protocolType, Generation: g.generation, Timestamp: now,
	}})
}

// electLeader keeps the leader if it has joined and else takes the longest member that has (G-080). It reports whether
// there is one.
func (g *Group) electLeader() bool {
	if g.leader.join != 0 {
		return true
	}
	for m := range g.members.all {
		if m.join != 0 {
			g.leader = m
			return true
		}
	}
	return false
}
