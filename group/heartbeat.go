package group

// stepHeartbeat handles a Heartbeat (G-122 to G-126, matrix G-227). It allocates nothing.
func (g *Group) stepHeartbeat(now Time, ev *Event, out *Output) {
	m, code := g.validate(ev.MemberID, ev.InstanceID)
	switch {
	case code != None:
	case ev.Generation != g.generation:
		code = IllegalGeneration
	default:
		g.touch(now, m)
		if g.state == PreparingRebalance {
			code = RebalanceInProgress
		}
	}
	out.Replies = append(out.Replies, Reply{Token: ev.Token, Kind: Heartbeat, Error: code})
}

// sessionTimedOut removes a member that was silent for too long, unless it waits for us (G-130, G-133).
func (g *Group) sessionTimedOut(now Time, id string, out *Output) {
	m := g.members.byID[id]
	if m == nil || m.satisfied() {
		return
	}
	if m.join != 0 {
		g.unparkJoin(m, joinError(0, UnknownMemberID, ""), out)
	}
	g.remove(m, SessionExpired, out)
	g.memberGone(now, Reason{Cause: SessionExpired, MemberID: id}, out)
}

// pendingTimedOut drops a member id that nobody came back with (G-053).
func (g *Group) pendingTimedOut(now Time, id string, out *Output) {
	delete(g.pending, id)
	if g.state == PreparingRebalance && g.allJoined() {
		g.completeJoin(now, out)
	}
}

// memberGone follows the end of a session. Other than a leave it may cut the initial delay short (G-074).
func (g *Group) memberGone(now Time, why Reason, out *Output) {
	switch {
	case g.state == Stable || g.state == CompletingRebalance:
		g.prepareRebalance(now, why, out)
	case g.state == PreparingRebalance && g.allJoined():
		g.completeJoin(now, out)
	}
}
