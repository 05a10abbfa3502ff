package group

// stepLeave handles a LeaveGroup of one or more members (G-158 to G-166).
func (g *Group) stepLeave(now Time, ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: Leave, Errors: make([]Error, len(ev.Leaving))}
	var why Reason
	for i := range ev.Leaving {
		id, code := g.leave(&ev.Leaving[i], out)
		reply.Errors[i] = code
		if code == None {
			why = Reason{Cause: Left, MemberID: id}
		}
	}
	if why.Cause == Left {
		switch g.state {
		case Stable, CompletingRebalance, PreparingRebalance:
			g.rebalanceOrCompleteJoin(now, why, out) // G-164
		}
	}
	if g.batch != noBatch { // the last member left: the answer waits for the record (G-165)
		g.waiting = append(g.waiting, reply)
		return
	}
	out.Replies = append(out.Replies, reply)
}

// leave removes one member, or one id that has not joined yet, and returns the id.
func (g *Group) leave(l *LeavingMember, out *Output) (string, Error) {
	if l.MemberID == "" {
		if l.InstanceID == nil || g.instances[*l.InstanceID] == nil {
			return "", UnknownMemberID
		}
		m := g.instances[*l.InstanceID] // an administrator's removal (G-160)
		g.dismiss(m, out)
		return m.id, None
	}
	if g.pending[l.MemberID] != nil {
		g.forget(l.MemberID) // G-161
		return l.MemberID, None
	}
	m, code := g.validate(l.MemberID, l.InstanceID)
	if code != None {
		return "", code
	}
	g.dismiss(m, out)
	return m.id, None
}

// dismiss removes a member that leaves (G-163).
func (g *Group) dismiss(m *member, out *Output) {
	if m.join != 0 {
		g.unparkJoin(m, joinError(0, UnknownMemberID, ""), out)
	}
	g.remove(m, Left, out)
}
