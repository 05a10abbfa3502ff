package sim

import (
	"slices"

	"github.com/joinsync/joinsync/group"
)

// host plays the group's caller, in the way of package coordinator: requests wait while a batch is at the store, commits
// that wait together share the next one, and what is due fires after each step.
type host struct {
	config  *group.Config
	group   *group.Group
	out     group.Output
	open    map[group.Token]*call // given to the group and not answered
	tokens  group.Token
	ids     int
	waiting []*call
	batch   batch
	log     []group.Record // what is durable, compacted by key as Kafka's log is
	behind  bool           // the store refused the record of an Empty group: the log tells of an older one (G-084)
}

// batch is what is on its way to the store.
type batch struct {
	records []group.Record
	causes  []cause // the events that the records come from
	handed  bool    // the store has it
}

// cause is an event that asked for records, and when it did.
type cause struct {
	call  *call
	event *group.Event
	at    group.Time
}

// call is one request that has arrived.
type call struct {
	*request
	event    group.Event // with the token, and what the coordinator adds
	standing bool        // its sender was a member of the generation that it named, when the group was asked
	replaced bool        // another member had its instance id then (KIP-345)
	records  bool        // it asked for records
	durable  bool        // which were stored
}

const maxWaiting = 16

// receive takes a request that arrives.
func (s *simulation) receive(r *request) {
	h := &s.host
	c := &call{request: r, event: r.event}
	if c.event.Kind == group.Join && c.event.MemberID == "" {
		h.ids++
		c.event.NewMemberID = r.from.newID(h.ids)
	}
	if h.batch.handed {
		if len(h.waiting) < maxWaiting {
			h.waiting = append(h.waiting, c)
		}
		return
	}
	s.take(c)
	s.settle()
}

// take gives a request to the group.
func (s *simulation) take(c *call) {
	h := &s.host
	h.tokens++
	c.event.Token = h.tokens
	c.standing, c.replaced = s.audit.standing(&c.event), s.audit.replaced(&c.event)
	h.open[c.event.Token] = c
	s.step(c, &c.event)
}

func (h *host) next() *call {
	c := h.waiting[0]
	h.waiting = h.waiting[1:]
	return c
}

// settle follows every step. A tick may come late, but not while all is calm.
func (s *simulation) settle() {
	h := &s.host
	for {
		switch {
		case len(h.batch.records) > 0:
			for len(h.waiting) > 0 && h.group.Gathers(&h.waiting[0].event) {
				s.take(h.next())
			}
			h.batch.handed = true
			return
		case len(h.waiting) > 0:
			s.take(h.next())
		case s.due() <= s.time && (s.calm || !s.dice.oneIn(8)):
			s.tick()
		default:
			return
		}
	}
}

// due is the time of the group's next deadline.
func (s *simulation) due() group.Time {
	if next := s.host.group.NextDeadline(); next != group.Never {
		return next - s.skew
	}
	return group.Never
}

func (s *simulation) tick() {
	s.step(nil, &group.Event{Kind: group.Tick})
	h := &s.host
	s.must(len(h.batch.records) > 0 || h.group.NextDeadline() > s.now(), tickDoesAll,
		"the next deadline is %d, now it is %d", h.group.NextDeadline(), s.now())
}

// step gives an event to the group, checks what comes of it and sends the answers.
func (s *simulation) step(c *call, ev *group.Event) {
	h := &s.host
	s.report.Steps++
	deadline := h.group.NextDeadline()
	h.out.Reset()
	h.group.Step(s.now(), ev, &h.out)
	s.traceStep(c, ev)
	if s.options.Seen != nil {
		s.options.Seen(&h.out)
	}
	if len(h.out.Records) > 0 {
		h.batch.records = append(h.batch.records, h.out.Records...)
		h.batch.causes = append(h.batch.causes, cause{c, ev, s.now()})
		if c != nil {
			c.records = true
		}
	}
	s.auditStep(ev, deadline)
	for i := range h.out.Replies {
		s.answer(&h.out.Replies[i])
	}
	s.auditRosters()
}

// answer sends one answer on its way. Of a request that was superseded Kafka's clients hear nothing.
func (s *simulation) answer(r *group.Reply) {
	c := s.host.open[r.Token]
	s.must(c != nil, answeredOnce, "%+v answers nothing that is open", *r)
	delete(s.host.open, r.Token)
	s.auditReply(c, r)
	if !r.Superseded && c.from != nil {
		s.wire.send(s, message{answer: r, request: c.request})
	}
}

// stored tells the group that the batch under way is durable.
func (s *simulation) stored() {
	s.persist()
	h := &s.host
	for i := range h.batch.records {
		s.report.Steps++
		h.group.Apply(&h.batch.records[i])
	}
	h.batch = batch{}
	s.step(nil, &group.Event{Kind: group.Stored})
	s.ledger.compare(s)
	s.checkReplay()
	s.settle()
}

// persist makes the batch under way durable.
func (s *simulation) persist() {
	h := &s.host
	for _, c := range h.batch.causes {
		if c.call != nil {
			c.call.durable = true
		}
		s.ledger.apply(s, &c)
	}
	for _, r := range h.batch.records {
		h.log = slices.DeleteFunc(h.log, func(o group.Record) bool { return keyOf(o) == keyOf(r) })
		switch r.Kind {
		case group.MetadataTombstone, group.OffsetTombstone, group.PendingOffsetTombstone:
		default:
			h.log = append(h.log, r)
		}
		h.behind = h.behind && keyOf(r).kind != group.MetadataRecord
	}
}

// refused tells the group that nothing of the batch under way is durable.
func (s *simulation) refused() {
	h := &s.host
	first := h.batch.records[0]
	if first.Kind == group.MetadataRecord && len(first.Metadata.Members) == 0 && first.Metadata.Generation > 0 {
		h.behind = true
	}
	h.batch = batch{}
	s.step(nil, &group.Event{Kind: group.Refused, Error: pick(&s.dice, group.CoordinatorNotAvailable, group.UnknownServerError)})
	s.settle()
}

// unload ends the group as the owner of its partition does that loses it, and loads it again.
func (s *simulation) unload() {
	h := &s.host
	h.batch, h.waiting = batch{}, nil
	s.step(nil, &group.Event{Kind: group.Unload, Error: group.NotCoordinator})
	s.must(len(h.open) == 0, answeredOnce, "%d were not at the unload", len(h.open))
	s.must(h.group.NextDeadline() == group.Never, unloadClears, "the next deadline is %d", h.group.NextDeadline())
	s.load()
}

// crash ends the coordinator on the spot: nobody is told anything. The next one has another clock.
func (s *simulation) crash() {
	s.report.Crashes++
	h := &s.host
	h.batch, h.waiting = batch{}, nil
	clear(h.open)
	for _, m := range s.members {
		if !s.dice.oneIn(8) {
			m.waiting = 0 // its connection broke; who does not notice waits
		}
	}
	s.skew += pick[group.Time](&s.dice, 0, 0, -5000, 5000)
	s.load()
}

// load makes the group from its log.
func (s *simulation) load() {
	h := &s.host
	h.group, h.behind = s.rebuild(), false
	s.audit.reloaded(s)
	s.step(nil, &group.Event{Kind: group.Load})
	s.ledger.compare(s)
	s.settle()
}

func (s *simulation) rebuild() *group.Group {
	g := group.New(groupID, s.host.config)
	for i := range s.host.log {
		s.report.Steps++
		g.Apply(&s.host.log[i])
	}
	return g
}

// key is what a record of the log counts for: a tombstone's is that of the record that it takes away.
type key struct {
	kind      group.RecordKind
	topic     string
	partition int32
	producer  int64
}

func keyOf(r group.Record) key {
	kind := r.Kind
	switch kind {
	case group.MetadataTombstone:
		kind = group.MetadataRecord
	case group.OffsetTombstone:
		kind = group.OffsetRecord
	case group.PendingOffsetTombstone:
		kind = group.PendingOffsetRecord
	}
	return key{kind, r.Topic, r.Partition, r.ProducerID}
}
