package group

// Group is the state of one group and its offsets. It is not for concurrent use: whoever owns it calls it from one
// goroutine at a time.
type Group struct {
	id     string
	config *Config

	// What a completed generation has; Apply sets it from records, and a join phase moves it on.
	state        State
	previous     State // the state before this one
	since        Time  // when the state was entered; -1: unknown
	live         bool  // the replay is over
	generation   int32
	protocolType string
	protocol     string
	leader       *member
	members      roster

	// What is lost with the coordinator (G-211).
	instances     map[string]*member // static members by instance id (KIP-345)
	pending       map[string]*timer  // ids given out by MEMBER_ID_REQUIRED, until they join (KIP-394)
	supported     map[string]int     // protocol name → members that list it
	parkedJoins   int
	toSync        int    // members whose SyncGroup of this generation has not come
	newMember     bool   // somebody joined in the step of the initial delay that runs now (G-056)
	delayLeft     Millis // how much the initial delay may still grow (G-069)
	timers        timers
	join, sync    timer
	memberCounter uint64

	// What waits for the store.
	batch    batch
	waiting  []Reply
	replaced replaced // with a replacementBatch

	subscribed subscribed // of the last completed generation
	offsets    offsets
}

// batch says what the records are about that a Step gave out and of which no Stored or Refused came yet.
type batch uint8

const (
	noBatch          batch = iota
	commitBatch            // offsets only: more commits may join it
	simpleBatch            // likewise, and they create a simple group (G-006)
	assignmentBatch        // the leader's assignment
	emptyBatch             // the group became Empty
	creationBatch          // the group was created
	replacementBatch       // a static member of a Stable group has a new id
	changeBatch            // offsets, or the group itself, are settled or deleted
)

// New returns a group that does not exist yet: its state is Dead until a Join, a Commit or a record creates it. config
// is shared and must not change.
func New(id string, config *Config) *Group {
	g := &Group{id: id, config: config}
	g.join.kind = joinTimer
	g.sync.kind = syncTimer
	return g
}

// Step takes one event at the time now and appends what it asks of the caller to out.
//
// While a batch of records is under way (out had Records, and neither Stored nor Refused was stepped since) only these
// may be stepped: that Stored or Refused; Unload; and, until the caller hands the batch over, further Commits after a
// Commit, whose records join the batch. Anything else is a fault of the caller and panics. No event that a peer can
// cause does.
func (g *Group) Step(now Time, ev *Event, out *Output) {
	g.mustAccept(ev)
	g.live = true
	switch ev.Kind {
	case Join:
		g.stepJoin(now, ev, out)
	case Sync:
		g.stepSync(ev, out)
	case Heartbeat:
		g.stepHeartbeat(now, ev, out)
	case Leave:
		g.stepLeave(now, ev, out)
	case Commit:
		g.stepCommit(now, ev, out)
	case EndTransaction:
		g.stepEndTransaction(ev, out)
	case DeleteOffsets:
		g.stepDeleteOffsets(ev, out)
	case DeleteGroup:
		g.stepDeleteGroup(ev, out)
	case TopicDeleted:
		g.stepTopicDeleted(ev, out)
	case Expire:
		g.stepExpire(now, out)
	case Tick:
		g.stepTick(now, out)
	case Stored:
		g.stepStored(now, out)
	case Refused:
		g.stepRefused(now, ev.Error, out)
	case Load:
		g.stepLoad(now, out)
	case Unload:
		g.stepUnload(now, ev.Error, out)
	default:
		panic("group: an event without a kind")
	}
}

func (g *Group) mustAccept(ev *Event) {
	switch {
	case g.batch == noBatch, g.Gathers(ev), ev.Kind == Stored, ev.Kind == Refused, ev.Kind == Unload:
	default:
		panic("group: " + ev.Kind.String() + " stepped while a batch of records is under way")
	}
}

// Gathers tells whether ev may be stepped although records of the last output are not durable yet: a Commit after
// Commits. It is for the caller that has not handed the batch over.
func (g *Group) Gathers(ev *Event) bool {
	return ev.Kind == Commit && (g.batch == commitBatch || g.batch == simpleBatch)
}

// NextDeadline returns when to step a Tick, or Never. Nothing is due before that moment; it may be that nothing is due
// then either, since a heartbeat, which moves a deadline, does not look for the one that comes first now. A Tick does what
// is due, however late or often it comes, and after it the next deadline lies in the future, or a batch is under way.
func (g *Group) NextDeadline() Time { return g.timers.earliest() }

// stepTick fires what is due, in the order (deadline, kind, member), until a batch of records gets under way; the rest
// is still due then.
func (g *Group) stepTick(now Time, out *Output) {
	for g.batch == noBatch {
		t := g.timers.first()
		if t == nil || t.deadline > now {
			return
		}
		g.timers.cancel(t)
		switch t.kind {
		case joinTimer:
			g.joinPhaseTimedOut(now, out)
		case syncTimer:
			g.syncPhaseTimedOut(now, out)
		case sessionTimer:
			g.sessionTimedOut(now, t.id, out)
		case pendingTimer:
			g.pendingTimedOut(now, t.id, out)
		}
	}
}

// become changes the state (G-003).
func (g *Group) become(now Time, to State, why Reason, out *Output) {
	g.enter(to, now)
	g.noteTransition(why, out)
}

// add makes m a member (G-011).
func (g *Group) add(m *member, protocolType string) {
	if g.members.len() == 0 {
		g.protocolType = protocolType
	}
	g.memberCounter++
	m.session.kind, m.session.id, m.session.order = sessionTimer, m.id, g.memberCounter
	g.members.add(m)
	if m.static() {
		if g.instances == nil {
			g.instances = make(map[string]*member)
		}
		g.instances[*m.instanceID] = m
	}
	g.countSupport(m.protocols, +1)
	if g.leader == nil {
		g.leader = m
	}
	g.forget(m.id)
}

// remove takes m out of the group (G-012). Whoever calls it has answered its parked join. If its sync is still awaited, a
// rebalance follows, which ends that wait.
func (g *Group) remove(m *member, cause Cause, out *Output) {
	if m.sync != 0 {
		g.supersede(Sync, m.sync, out)
		m.sync = 0
	}
	g.timers.cancel(&m.session)
	g.countSupport(m.protocols, -1)
	g.members.remove(m)
	if m.static() {
		delete(g.instances, *m.instanceID)
	}
	if g.leader == m {
		g.leader = g.members.first
	}
	out.Removals = append(out.Removals, Removal{MemberID: m.id, Cause: cause})
}

// forget drops an id that was given out and has not joined.
func (g *Group) forget(id string) {
	if t, ok := g.pending[id]; ok {
		g.timers.cancel(t)
		delete(g.pending, id)
	}
}

func (g *Group) countSupport(protocols []Protocol, by int) {
	if g.supported == nil {
		g.supported = make(map[string]int)
	}
	for i := range protocols {
		if n := g.supported[protocols[i].Name] + by; n > 0 {
			g.supported[protocols[i].Name] = n
		} else {
			delete(g.supported, protocols[i].Name)
		}
	}
}

// supersede reports a parked request that Kafka would leave without an answer.
func (g *Group) supersede(kind Kind, token Token, out *Output) {
	out.Replies = append(out.Replies, Reply{Token: token, Kind: kind, Superseded: true})
}

// validate checks the sender's identity (G-137).
func (g *Group) validate(memberID string, instanceID *string) (*member, Error) {
	if instanceID != nil {
		owner := g.instances[*instanceID]
		if owner == nil {
			return nil, UnknownMemberID
		}
		if owner.id != memberID {
			return nil, FencedInstanceID
		}
	}
	m := g.members.byID[memberID]
	if m == nil {
		return nil, UnknownMemberID
	}
	return m, None
}

// touch restarts the member's session timer (G-128).
func (g *Group) touch(now Time, m *member) {
	g.timers.schedule(&m.session, now.after(m.sessionTimeout))
}

// rebalanceTimeout is the largest of the members' (G-014).
func (g *Group) rebalanceTimeout() Millis {
	var most Millis
	for m := range g.members.all {
		most = max(most, m.rebalanceTimeout)
	}
	return most
}
