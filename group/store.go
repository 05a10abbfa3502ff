package group

// stepStored goes on after the records of the last output became durable and were given to Apply.
func (g *Group) stepStored(now Time, out *Output) {
	batch := g.endBatch(out)
	switch batch {
	case simpleBatch: // Apply made the group Empty
		g.noteTransition(Reason{Cause: GroupCreated}, out)
	case assignmentBatch: // Apply made the group Stable (G-111)
		g.noteTransition(Reason{Cause: AssignmentStored}, out)
		g.answerSyncs(now, None, out)
	case replacementBatch:
		g.replacementStored(out)
	case changeBatch:
		if g.state == Dead { // a tombstone of the group was among the records
			out.Transitions = append(out.Transitions, Transition{From: Empty, To: Dead, Reason: Reason{Cause: Deleted}})
		}
	}
}

// stepRefused goes on after the store refused the records of the last output: nothing of them is durable. code is what
// to tell whoever waited for them.
func (g *Group) stepRefused(now Time, code Error, out *Output) {
	for i := range g.waiting {
		g.waiting[i].Error, g.waiting[i].Errors = code, nil
	}
	batch := g.endBatch(out)
	switch batch {
	case assignmentBatch: // G-112
		g.resetAssignments(now, code, out)
		g.prepareRebalance(now, Reason{Cause: StoreFailed}, out)
	case replacementBatch:
		g.replacementRefused(now, code, out)
	case creationBatch: // the group never was, nor was the id that its first member has (G-036)
		if m := g.members.first; m != nil {
			g.unparkJoin(m, joinError(0, code, ""), out)
		}
		g.dissolve(now, code, Reason{Cause: StoreFailed}, out)
	}
}

// answer gives a reply now or, if the step asks for records, when they are stored. The output has no others: only
// commits share a batch.
func (g *Group) answer(reply Reply, kind batch, out *Output) {
	if len(out.Records) == 0 {
		out.Replies = append(out.Replies, reply)
		return
	}
	g.batch = kind
	g.waiting = append(g.waiting, reply)
}

// endBatch sends the answers that waited for the store.
func (g *Group) endBatch(out *Output) batch {
	batch := g.batch
	g.batch = noBatch
	out.Replies = append(out.Replies, g.waiting...)
	clear(g.waiting)
	g.waiting = g.waiting[:0]
	return batch
}

// stepUnload answers everybody, with the member's id where an answer has one, and ends the group (G-207, G-208).
func (g *Group) stepUnload(now Time, code Error, out *Output) {
	for i := range g.waiting {
		g.waiting[i].Error, g.waiting[i].Errors = code, nil
	}
	g.endBatch(out)
	g.dissolve(now, code, Reason{Cause: Unloaded}, out)
}

// dissolve answers what is parked with code and forgets everything: the group is as New made it.
func (g *Group) dissolve(now Time, code Error, why Reason, out *Output) {
	for m := range g.members.all {
		if m.join != 0 {
			g.unparkJoin(m, joinError(0, code, m.id), out)
		}
	}
	g.answerSyncs(now, code, out)
	from := g.state
	*g = *New(g.id, g.config)
	if from != Dead {
		out.Transitions = append(out.Transitions, Transition{From: from, To: Dead, Reason: why})
	}
}

// noteTransition reports the last change of state.
func (g *Group) noteTransition(why Reason, out *Output) {
	out.Transitions = append(out.Transitions, Transition{
		From: g.previous, To: g.state, Generation: g.generation, Members: g.members.len(), Reason: why,
	})
}
