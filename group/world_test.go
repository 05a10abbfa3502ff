package group

import (
	"encoding/binary"
	"slices"
	"testing"
)

// world is a group with a few clients, and everything that can happen to them as numbered actions. Its durations are few
// and share a unit, so that there are only so many different situations.
type world struct {
	*driver
	config  Config
	clients []client
}

// client plays the clients' side: it knows the member id that it was told last.
type client struct {
	name     string
	instance *string
	old      bool // of a version that does not come again with an id (G-050)
	id       string
	join     Token
}

const unit Millis = 1000

var (
	instanceOfS  = "s"
	worldClients = []client{{name: "a"}, {name: "b", old: true}, {name: "s", instance: &instanceOfS}}
)

func newWorld(t testing.TB, config Config) *world {
	w := &world{driver: drive(t, config), config: config, clients: slices.Clone(worldClients)}
	w.hold = true
	return w
}

// action is one thing that may happen. It reports whether it could.
type action struct {
	name string
	do   func(w *world) bool
}

var actions = func() []action {
	list := []action{
		{"tick", func(w *world) bool {
			if w.g.batch != noBatch || w.g.NextDeadline() == Never {
				return false
			}
			w.tick()
			return true
		}},
		{"accept", settling(func(w *world) { w.accept() })},
		{"refuse", settling(func(w *world) { w.refuse(CoordinatorNotAvailable) })},
		{"reload", func(w *world) bool { w.reload(w.config); return true }},
		{"reload with what was under way", settling(func(w *world) {
			for _, r := range w.records {
				w.store(r)
			}
			w.reload(w.config)
		})},
	}
	for i := range worldClients {
		list = append(list,
			request(i, "joins", func(_ *world, c *client) Event { return c.joining(c.id, "t1") }),
			request(i, "joins with other topics", func(_ *world, c *client) Event { return c.joining(c.id, "t2", "range") }),
			request(i, "joins anew", func(_ *world, c *client) Event { return c.joining("", "t1") }),
			request(i, "heartbeats", func(w *world, c *client) Event { return beating(c.id, w.g.generation, c.identity) }),
			request(i, "heartbeats in an old generation", func(w *world, c *client) Event { return beating(c.id, w.g.generation-1, c.identity) }),
			request(i, "syncs", func(w *world, c *client) Event { return syncing(c.id, w.g.generation, c.identity, w.assigningAll) }),
			request(i, "leaves", func(_ *world, c *client) Event {
				return Event{Kind: Leave, Leaving: []LeavingMember{{c.id, c.instance}}}
			}),
			request(i, "commits", func(w *world, c *client) Event { return committing(c.id, w.g.generation, c.identity) }))
	}
	return append(list,
		request(0, "commits in a transaction", func(w *world, c *client) Event {
			return committing(c.id, w.g.generation, c.identity, inTransaction(1))
		}),
		once("the transaction commits", ending(1, true)),
		once("the transaction aborts", ending(1, false)),
		once("the offset is deleted", deleting("t1")),
		once("the group is deleted", Event{Kind: DeleteGroup}),
		once("the sweep comes", Event{Kind: Expire}))
}()

// once is an action that is the same event whoever there is.
func once(name string, ev Event) action {
	return action{name, func(w *world) bool {
		if w.g.batch != noBatch {
			return false
		}
		w.send(ev)
		return true
	}}
}

// settling is an action that ends a batch.
func settling(do func(w *world)) func(w *world) bool {
	return func(w *world) bool {
		if w.g.batch == noBatch {
			return false
		}
		do(w)
		return true
	}
}

// request is an action of one client. While records are under way only a first commit more may follow a commit.
func request(i int, name string, make func(w *world, c *client) Event) action {
	return action{worldClients[i].name + " " + name, func(w *world) bool {
		c := &w.clients[i]
		ev := make(w, c)
		if w.g.batch != noBatch && (!w.g.Gathers(&ev) || len(w.g.waiting) > 1) {
			return false
		}
		token := w.send(ev)
		if ev.Kind == Join {
			c.join = token
		}
		return true
	}}
}

func (c *client) joining(id, topics string, protocols ...string) Event {
	if protocols == nil {
		protocols = []string{"sticky", "range"}
	}
	ev := joining(c.name, id, c.identity, listing(topics, protocols...), timeouts(2*unit, 3*unit))
	ev.RequiresKnownID = !c.old
	ev.KnowsSkip = true
	return ev
}

func (c *client) identity(ev *Event) { ev.InstanceID = c.instance }

func (w *world) assigningAll(ev *Event) {
	for m := range w.g.members.all {
		assigning(m.id)(ev)
	}
}

// act does an action, lets the clients hear of their ids, and checks what holds between any two actions.
func (w *world) act(a *action) bool {
	if !a.do(w) {
		return false
	}
	for i := range w.clients {
		c := &w.clients[i]
		r, answered := w.answers[c.join]
		if !answered || r.Superseded {
			continue
		}
		switch r.Error {
		case None, MemberIDRequired:
			c.id = r.MemberID
		case UnknownMemberID, FencedInstanceID:
			c.id = ""
		}
	}
	clear(w.answers)
	w.checkRebuild()
	return true
}

// checkRebuild: a group that is at rest equals the one that its records tell of (G-209, G-211).
func (w *world) checkRebuild() {
	atRest := w.g.batch == noBatch && (w.g.state == Stable || w.g.state == Empty)
	if !atRest || w.behind {
		return
	}
	rebuilt := rebuild(w.config, w.log)
	if len(w.log) == 0 && w.g.state == Empty && w.g.protocolType == "" && w.g.offsets.empty() {
		return // a simple group that its offsets have left: only the sweep takes it away (G-205)
	}
	w.must(dumpDurable(rebuilt) == dumpDurable(w.g), "the records tell of\n%s\nbut the group is\n%s", dumpDurable(rebuilt), dumpDurable(w.g))
}

// situation tells worlds apart by what can still happen in them: ids are numbered as they appear, times are told from
// now, and generations, offsets and metadata of equal meaning are left out.
func (w *world) situation(buf []byte) []byte {
	s := situation{buf: buf, ids: make(map[string]int), now: w.now}
	g := w.g
	s.number(int(g.state), int(g.previous), int(g.batch), g.toSync, int(g.delayLeft), len(g.waiting), len(g.offsets.committed), len(g.offsets.pending))
	s.flags(g.newMember, w.behind, g.subscribed.known, g.subscribesTo("t1"))
	s.due(&g.join, &g.sync)
	s.text(g.protocolType, g.protocol)
	for m := range g.members.all {
		s.id(m.id)
		s.flags(m == g.leader, m.isNew, m.join != 0, m.sync != 0, m.toSync, m.static(), m.assignment != nil)
		s.due(&m.session)
		s.protocols(m.protocols)
	}
	s.number(-1, len(g.pending))
	for _, t := range pendingInOrder(g) {
		s.id(t.id)
		s.due(t)
	}
	if g.batch == replacementBatch {
		s.id(g.replaced.id)
		s.flags(g.replaced.toSync)
		s.protocols(g.replaced.protocols)
	}
	for i := range w.clients {
		s.id(w.clients[i].id)
	}
	for i := range w.log {
		s.record(&w.log[i])
	}
	return s.buf
}

type situation struct {
	buf []byte
	ids map[string]int
	now Time
}

func (s *situation) number(ns ...int) {
	for _, n := range ns {
		s.buf = binary.AppendVarint(s.buf, int64(n))
	}
}

func (s *situation) flags(on ...bool) {
	bits := 0
	for i, f := range on {
		if f {
			bits |= 1 << i
		}
	}
	s.number(bits)
}

func (s *situation) id(id string) {
	n, ok := s.ids[id]
	if !ok {
		n = len(s.ids)
		s.ids[id] = n
	}
	s.number(n)
}

func (s *situation) due(timers ...*timer) {
	for _, t := range timers {
		if t.set() {
			s.number(1 + int(t.deadline-s.now))
		} else {
			s.number(0)
		}
	}
}

func (s *situation) text(texts ...string) {
	for _, t := range texts {
		s.buf = append(append(s.buf, t...), 0)
	}
}

func (s *situation) protocols(protocols []Protocol) {
	for _, p := range protocols {
		s.text(p.Name, string(p.Metadata))
	}
}

func (s *situation) record(r *Record) {
	s.number(int(r.Kind))
	if r.Kind != MetadataRecord {
		return
	}
	md := r.Metadata
	s.text(md.ProtocolType, md.Protocol)
	s.id(md.Leader)
	for i := range md.Members {
		m := &md.Members[i]
		s.id(m.ID)
		s.text(string(m.Subscription))
		s.flags(m.InstanceID != nil, m.Assignment != nil)
	}
}
