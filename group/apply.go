package group

// Apply takes over one durable record: of the log, when the group is loaded, or of the batch that the group asked to
// store. It is the only way for offsets and assignments into the group. It keeps the record's slices.
func (g *Group) Apply(r *Record) {
	switch r.Kind {
	case MetadataRecord:
		g.applyMetadata(r.Metadata)
	case MetadataTombstone:
		g.applyTombstone()
	case OffsetRecord:
		g.exist()
		g.offsets.set(r.Topic, r.Partition, r.Offset) // a group without a record is a simple one (G-006, G-341)
	case OffsetTombstone:
		g.offsets.remove(r.Topic, r.Partition)
	case PendingOffsetRecord:
		g.exist()
		g.offsets.setPending(r.ProducerID, r.Topic, r.Partition, r.Offset)
	case PendingOffsetTombstone:
		g.offsets.removePending(r.ProducerID, r.Topic, r.Partition)
	}
}

// exist makes the group Empty unless it is more already.
func (g *Group) exist() {
	if g.state == Dead {
		g.enter(Empty, -1)
	}
}

func (g *Group) enter(state State, at Time) { g.previous, g.state, g.since = g.state, state, at }

// applyMetadata takes over a generation. A group that is live has made the record itself: its members are there, with
// more than the record holds, and only their assignments are news. A group that is being loaded is made from the record.
func (g *Group) applyMetadata(md *Metadata) {
	if !g.live {
		g.restore(md)
		return
	}
	for i := range md.Members {
		if m := g.members.byID[md.Members[i].ID]; m != nil {
			m.assignment = md.Members[i].Assignment
		}
	}
	if g.batch == assignmentBatch {
		g.enter(Stable, md.Timestamp)
	}
}

// restore makes the group what a record of the log says (G-209).
func (g *Group) restore(md *Metadata) {
	offsets := g.offsets
	*g = *New(g.id, g.config)
	g.offsets = offsets
	g.exist()
	g.generation, g.protocolType = md.Generation, md.ProtocolType
	for i := range md.Members {
		s := &md.Members[i]
		m := &member{
			id: s.ID, instanceID: s.InstanceID, clientID: s.ClientID, clientHost: s.ClientHost,
			sessionTimeout: s.SessionTimeout, rebalanceTimeout: s.RebalanceTimeout,
			protocols: []Protocol{{Name: md.Protocol, Metadata: s.Subscription}}, assignment: s.Assignment,
		}
		if m.rebalanceTimeout == -1 {
			m.rebalanceTimeout = m.sessionTimeout
		}
		if g.members.byID[m.id] != nil || m.static() && g.instances[*m.instanceID] != nil {
			continue // a record that names a member twice is not Kafka's; the first counts
		}
		g.add(m, md.ProtocolType)
	}
	if leader := g.members.byID[md.Leader]; leader != nil {
		g.leader = leader
	}
	if g.members.len() > 0 {
		g.state, g.protocol = Stable, md.Protocol
	}
	g.noteSubscribed()
	g.since = md.Timestamp
}

// applyTombstone takes the group away; offsets of it, if there are any left, make it a simple group.
func (g *Group) applyTombstone() {
	gone := *g
	*g = *New(g.id, g.config)
	g.offsets, g.live, g.batch, g.waiting = gone.offsets, gone.live, gone.batch, gone.waiting
	if !g.offsets.empty() {
		g.exist()
	}
}

// stepLoad starts the sessions of a loaded group (G-210), and a rebalance if it is larger than is now allowed (G-043).
func (g *Group) stepLoad(now Time, out *Output) {
	if g.state == Dead {
		return
	}
	out.Transitions = append(out.Transitions, Transition{
		From: Dead, To: g.state, Generation: g.generation, Members: g.members.len(), Reason: Reason{Cause: Loaded},
	})
	for m := range g.members.all {
		g.touch(now, m)
	}
	if g.members.len() > g.config.MaxSize {
		g.prepareRebalance(now, Reason{Cause: Refusal}, out)
	}
}
