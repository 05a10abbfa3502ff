package sim

import "github.com/joinsync/joinsync/group"

// calmLimit is how long it may take, once nothing fails any more, until all members share the work. Longest of all may a
// join of a process that is gone hold the group up: for the time-out of new members (G-055), and a rebalance after it.
const calmLimit = 300_000 + 3*30_000

// steady is how long the members must then share it without another rebalance: longer than any time-out of a generation.
const steady = 35_000

// calmDown ends all that goes wrong, and waits until every living member has its share, and keeps it.
func (s *simulation) calmDown() {
	s.trace("calm")
	s.calm = true
	for i := range s.wire.messages {
		s.wire.messages[i].due = s.time + latency
	}
	s.members[0].alive = true
	began, settled := s.time, s.time
	for generation := s.audit.generation(); s.time-settled < steady; s.advance() {
		why := s.unsettled()
		if why != "" || generation != s.audit.generation() {
			settled, generation = s.time, s.audit.generation()
		}
		s.must(settled-began <= calmLimit, becomesStable, "after %d ms %s", settled-began, why)
	}
	s.report.Calm = group.Millis(settled - began)
}

// unsettled says what is missing until the group is Stable and all its work is shared; empty is nothing.
func (s *simulation) unsettled() string {
	d := &s.audit.described
	wanted := 0
	var shared partitions
	at := make([]*member, 0, len(s.members))
	for _, m := range s.members {
		if !m.alive {
			continue
		}
		wanted++
		if m.phase == working && m.generation == d.Generation && shared&m.partitions == 0 {
			shared |= m.partitions
			at = append(at, m)
		}
	}
	wanted = min(wanted, s.host.config.MaxSize)
	switch {
	case d.State != group.Stable:
		return "the group is " + d.State.String()
	case len(at) < wanted || len(d.Members) != len(at):
		return "not all are there, or some that are gone"
	case shared != allPartitions:
		return "not all partitions are shared"
	}
	return ""
}

// advance goes to the next thing that happens.
func (s *simulation) advance() {
	if s.host.batch.handed {
		s.stored()
		return
	}
	next := s.due()
	var acts *member
	for _, m := range s.members {
		if m.alive && m.wakes() < next {
			next, acts = m.wakes(), m
		}
	}
	if w := &s.wire; len(w.messages) > 0 && w.messages[0].due <= next {
		s.time = max(s.time, w.messages[0].due)
		s.deliver(w.take(0))
		return
	}
	s.time = max(s.time, next)
	if acts == nil {
		s.settle()
		return
	}
	acts.waiting = 0 // if it still waits it asks again
	acts.next = s.time + 1000
	acts.proceed(s)
}

// wakes is when the member acts, as far as nobody speaks to it before.
func (m *member) wakes() group.Time {
	if m.waiting != 0 {
		return m.asked + patience
	}
	return m.next
}

// leaveAlone lets the members fall silent, and asserts what must come of that: all are gone, and everybody was answered.
func (s *simulation) leaveAlone() {
	s.trace("nobody is left")
	h := &s.host
	for n := 0; h.batch.handed || s.due() != group.Never; n++ {
		s.must(n < 10_000, endsEmpty, "it never ends")
		if h.batch.handed {
			s.stored()
			continue
		}
		s.time = max(s.time, s.due())
		s.settle()
	}
	state := h.group.State()
	s.must(state == group.Empty || state == group.Dead, endsEmpty, "it is %s", state)
	s.must(len(h.open) == 0, answeredOnce, "%d never are", len(h.open))
	s.checkReplay()
}
