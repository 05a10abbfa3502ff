package sim

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/joinsync/joinsync/group"
)

// audit checks, from outside, what a group answers and turns into.
type audit struct {
	described group.Description // after the last step
	life      int               // counts the times that there was no group
	told      group.State       // where the last transition led
	emptied   group.Time        // when the group became Empty
	plans     map[generation]uint32
	heard     map[string]group.Time // by member id: when its session began anew
	topics    map[string]bool       // of the last completed generation
	said      map[string]*request   // by member id: the join that was granted last
}

// generation is one of a life of the group: whoever deletes a group begins again at 0.
type generation struct {
	life   int
	number int32
}

func newAudit() audit {
	return audit{plans: make(map[generation]uint32), heard: make(map[string]group.Time), said: make(map[string]*request)}
}

func (a *audit) generation() generation { return generation{a.life, a.described.Generation} }

// ended notes that there is no group any more: the next one begins at generation 0.
func (a *audit) ended() { a.life, a.topics = a.life+1, nil }

// reloaded begins again with the group that a log tells of.
func (a *audit) reloaded(s *simulation) {
	d := s.host.group.Describe()
	a.told, a.described, a.topics = group.Dead, group.Description{State: group.Dead, Generation: d.Generation}, nil
	clear(a.heard)
	clear(a.said)
	if d.State == group.Dead {
		a.ended()
	}
	for _, r := range s.host.log {
		if r.Kind != group.MetadataRecord {
			continue
		}
		s.must(d.Generation == r.Metadata.Generation, replayEquals, "%+v of %+v", d, *r.Metadata)
		if a.emptied = r.Metadata.Timestamp; d.ProtocolType != "" {
			a.topics = make(map[string]bool)
		}
	}
	for i := range d.Members {
		a.topics[string(d.Members[i].Metadata)] = true
	}
}

// standing tells whether an event's sender is what it says that it is: a member, of the generation that it names, that
// owns its instance id.
func (a *audit) standing(ev *group.Event) bool {
	for i := range a.described.Members {
		m := &a.described.Members[i]
		if m.ID == ev.MemberID {
			return ev.Generation == a.described.Generation && (ev.InstanceID == nil || sameInstance(ev.InstanceID, m.InstanceID))
		}
	}
	return false
}

// replaced tells whether another member has the instance id that an event's sender names.
func (a *audit) replaced(ev *group.Event) bool {
	return slices.ContainsFunc(a.described.Members, func(m group.MemberDescription) bool {
		return sameInstance(m.InstanceID, ev.InstanceID) && m.ID != ev.MemberID
	})
}

func sameInstance(a, b *string) bool { return a != nil && b != nil && *a == *b }

// auditStep checks what a step has led to, and its answers.
func (s *simulation) auditStep(ev *group.Event, deadline group.Time) {
	a, h := &s.audit, &s.host
	before := a.described
	a.described = h.group.Describe()
	s.auditTransitions(ev, &before)
	s.auditMembers()
	s.auditSessions(ev)
	if next := h.group.NextDeadline(); next < s.now() {
		s.must(next >= deadline, noDeadlinePast, "%d at %d", next, s.now())
	}
	if s.options.Check != nil {
		err := s.options.Check(h.group)
		s.must(err == nil, soundInside, "%v", err)
	}
}

// auditTransitions: states follow on each other as Kafka's do (G-002), and each completed join phase is a generation.
func (s *simulation) auditTransitions(ev *group.Event, before *group.Description) {
	a := &s.audit
	number := before.Generation
	for _, t := range s.host.out.Transitions {
		s.must(t.From == a.told && mayFollow(t), statesFollow, "%+v, after %s", t, a.told)
		switch {
		case t.To == group.Dead:
			number = 0
		case t.From == group.PreparingRebalance:
			number++
		}
		s.must(t.Generation == number, generationsCount, "%+v, want %d", t, number)
		if a.told = t.To; t.To == group.Empty && t.Reason.Cause != group.Loaded {
			a.emptied = s.now()
		}
		switch t.Reason.Cause {
		case group.AllJoined:
			a.restartSessions(s)
		case group.AssignmentStored:
			s.report.Plans++
		}
		if t.From == group.PreparingRebalance {
			a.topics = topicsOf(s.host.out.Replies)
		}
	}
	d := &a.described
	s.must(a.told == d.State, statesFollow, "after %s the group is %s, but told of %s", ev.Kind, d.State, a.told)
	s.must(number == d.Generation, generationsGrow, "after %s it is %d, want %d", ev.Kind, d.Generation, number)
	if d.State == group.Dead && before.State != group.Dead && ev.Kind != group.Unload {
		a.ended()
	}
}

func mayFollow(t group.Transition) bool {
	switch {
	case t.To == group.Dead:
		return true
	case t.From == group.Dead:
		return t.To == group.Empty || t.To == group.Stable && t.Reason.Cause == group.Loaded
	case t.To == group.PreparingRebalance:
		return t.From != group.PreparingRebalance
	case t.To == group.Stable:
		return t.From == group.CompletingRebalance
	}
	return t.From == group.PreparingRebalance // to Empty, and to CompletingRebalance
}

// auditMembers: one of the members leads, and nobody is there twice.
func (s *simulation) auditMembers() {
	d := &s.audit.described
	leads := d.LeaderID == "" && len(d.Members) == 0
	for i := range d.Members {
		m := &d.Members[i]
		leads = leads || m.ID == d.LeaderID
		for j := range d.Members[:i] {
			n := &d.Members[j]
			s.must(m.ID != n.ID && !sameInstance(m.InstanceID, n.InstanceID), membersOnce, "%+v and %+v", *m, *n)
		}
	}
	s.must(leads, leaderIsMember, "%s leads %+v", d.LeaderID, d.Members)
	s.must((len(d.Members) > 0) == (d.State > group.Empty) || d.State == group.PreparingRebalance, emptyHasNone,
		"%s with %d members", d.State, len(d.Members))
}

// auditSessions: nobody is thrown out for silence who was heard within the session time-out.
func (s *simulation) auditSessions(ev *group.Event) {
	a := &s.audit
	if ev.Kind == group.Load {
		a.restartSessions(s)
	}
	for _, r := range s.host.out.Removals {
		if r.Cause != group.SessionExpired {
			continue
		}
		at, known := a.heard[r.MemberID]
		for _, m := range s.members {
			s.must(!known || !m.named(r.MemberID) || s.now()-at >= group.Time(m.session), heardStay,
				"%s was heard %d ms ago, its session is of %d", r.MemberID, s.now()-at, m.session)
		}
	}
}

func (a *audit) restartSessions(s *simulation) {
	for i := range a.described.Members {
		a.heard[a.described.Members[i].ID] = s.now()
	}
}

// auditReply checks one answer, sent in the step that described tells of.
func (s *simulation) auditReply(c *call, r *group.Reply) {
	s.must(r.Kind == c.event.Kind, answeredOnce, "%s is answered as %s", c.event.Kind, r.Kind)
	switch r.Kind {
	case group.Sync, group.Heartbeat, group.Commit:
		s.must(!c.replaced || r.Error == group.FencedInstanceID, replacedAreFenced, "%s of %s: %s", r.Kind, c.event.MemberID, r.Error)
	}
	if r.Superseded {
		silent := group.Reply{Token: r.Token, Kind: r.Kind, Superseded: true}
		s.must(reflect.DeepEqual(*r, silent), supersededSilent, "%+v", *r)
		return
	}
	if r.Error != group.None {
		s.must(r.Members == nil && r.Assignment == nil && r.Errors == nil && !r.Skip, errorsAlone, "%+v", *r)
		return
	}
	s.must(c.durable || !c.records || r.Kind == group.Join, recordsFirst, "%+v", c.event) // who creates a group does not wait (G-036)
	switch r.Kind {
	case group.Join:
		s.audit.said[r.MemberID] = c.request
		s.auditJoined(r)
	case group.Sync:
		s.auditSynced(c, r)
	case group.Heartbeat:
		s.must(c.standing, onlyMembers, "%s of %s", r.Kind, c.event.MemberID)
		s.audit.heard[c.event.MemberID] = s.now()
	case group.Commit:
		s.auditCommitted(c, r)
	default:
		if !c.durable { // then there was nothing to change
			s.ledger.apply(s, &cause{c, &c.event, s.now()})
			s.ledger.compare(s)
		}
	}
}

// auditJoined: the leader knows all members, and nobody else takes itself for it.
func (s *simulation) auditJoined(r *group.Reply) {
	d := &s.audit.described
	if r.Generation != d.Generation || d.State == group.PreparingRebalance {
		return // a tick that came late has gone on since
	}
	leads := r.MemberID == d.LeaderID
	s.must(r.Members == nil || leads, onlyLeaderLearns, "%+v", *r)
	joined := slices.ContainsFunc(d.Members, func(m group.MemberDescription) bool { return m.ID == r.MemberID })
	s.must(joined, joinedIsMember, "%+v", *r)
	if r.Members == nil {
		s.must(r.LeaderID != r.MemberID, leaderLearns, "%+v", *r)
		return
	}
	same := slices.EqualFunc(r.Members, d.Members, func(j group.JoinedMember, m group.MemberDescription) bool {
		return j.ID == m.ID && j.Metadata != nil // every member lists the selected protocol, and never without metadata
	})
	s.must(same, leaderLearns, "%+v of %+v", r.Members, d.Members)
}

// auditRosters: leaders are told what each member said in the join that was granted last, perhaps in the same step.
func (s *simulation) auditRosters() {
	for i := range s.host.out.Replies {
		r := &s.host.out.Replies[i]
		for _, m := range r.Members {
			said := s.audit.said[m.ID]
			told := said == nil || slices.ContainsFunc(said.event.Protocols, func(p group.Protocol) bool {
				return p.Name == r.ProtocolName && bytes.Equal(p.Metadata, m.Metadata)
			})
			s.must(told, leaderUpToDate, "%s %s:%s, of %v", m.ID, r.ProtocolName, m.Metadata, said)
		}
	}
}

// auditSynced: an assignment is seen by who it was made for, in its generation, and there is one plan for a generation.
func (s *simulation) auditSynced(c *call, r *group.Reply) {
	a := &s.audit
	s.must(c.standing, onlyMembers, "%s of %s", r.Kind, c.event.MemberID)
	if r.Assignment == nil {
		return
	}
	given := readAssignment(r.Assignment)
	now := a.generation()
	s.must(given.generation == now.number, ownGeneration, "one of %d in %d", given.generation, now.number)
	plan, seen := a.plans[now]
	s.must(!seen || plan == given.plan, onePlan, "generation %d has %d and %d", given.generation, plan, given.plan)
	a.plans[now] = given.plan
}

// auditCommitted: who is granted a commit was entitled to it, and it is durable.
func (s *simulation) auditCommitted(c *call, r *group.Reply) {
	stores := slices.ContainsFunc(c.event.Offsets, s.storable)
	s.must(c.durable || !stores, recordsFirst, "%+v", c.event)
	s.must(c.standing || c.event.Generation < 0, onlyMembers, "%s of %s", r.Kind, c.event.MemberID)
	s.report.Grants++
}

// topicsOf tells, from the leader's answer, what the members of the generation that begins subscribe to. An Empty group's
// has no leader.
func topicsOf(replies []group.Reply) map[string]bool {
	topics := make(map[string]bool)
	for i := range replies {
		for _, m := range replies[i].Members {
			topics[string(m.Metadata)] = true
		}
	}
	return topics
}

// subscribed tells whether somebody subscribes to a topic (G-319). As long as no generation of a group of consumers is
// completed everybody might (G-203).
func (a *audit) subscribed(topic string) bool {
	if a.topics == nil {
		return a.described.ProtocolType != ""
	}
	return a.topics[topic]
}

// checkReplay: a group at rest is the one that its records tell of (G-209, G-211).
func (s *simulation) checkReplay() {
	h, d := &s.host, &s.audit.described
	if d.State != group.Stable && d.State != group.Empty || h.batch.handed || h.behind {
		return
	}
	if len(h.log) == 0 && d.ProtocolType == "" {
		return // a simple group that its offsets have left: only the sweep takes it away (G-205)
	}
	rebuilt := s.rebuild().Describe()
	s.must(reflect.DeepEqual(rebuilt, *d), replayEquals, "%+v, not %+v", rebuilt, *d)
}
