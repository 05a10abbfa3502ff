package sim

import "github.com/joinsync/joinsync/group"

// move lets one thing happen, as the dice of the move say. What cannot happen now does not.
func (s *simulation) move() {
	switch n := s.dice.intN(100); {
	case n < 40:
		s.carry()
	case n < 70:
		s.pickMember().may(s)
	case n < 82:
		s.pass()
	case n < 96:
		s.storeAnswers()
	case n < 98:
		s.administer()
	default:
		s.disturb()
	}
}

func (s *simulation) pickMember() *member { return s.members[s.dice.intN(len(s.members))] }

// carry delivers a message: mostly the oldest, and now and then one that is lost on the way, or arrives again later.
func (s *simulation) carry() {
	w := &s.wire
	if len(w.messages) == 0 {
		return
	}
	n := 0
	if s.dice.oneIn(4) {
		n = s.dice.intN(len(w.messages))
	}
	m := w.take(n)
	switch s.dice.intN(16) {
	case 0:
		s.trace("lost: %v", m)
		return
	case 1:
		w.send(s, m)
	}
	s.deliver(m)
}

// may does one thing that a client may do now.
func (m *member) may(s *simulation) {
	switch n := s.dice.intN(128); {
	case !m.alive:
		m.alive = n < 32
	case n == 0:
		m.alive = false // as after a crash; who is silent for long, but remembers, is just not picked
		m.restart()
	case n == 1 && m.id != "":
		leaving := group.LeavingMember{MemberID: m.id, InstanceID: m.instance}
		m.ask(s, group.Event{Kind: group.Leave, Leaving: []group.LeavingMember{leaving}})
		m.restart()
	case n == 2:
		m.changeMind(&s.dice)
		m.outside()
	case m.waiting != 0 && (n < 8 || s.time > m.asked+patience):
		m.waiting = 0 // it gives up, and asks again
	case m.phase == working && n < 60:
		m.commit(s)
	case m.phase == joined && n < 40:
		m.beat(s)
	default:
		m.proceed(s)
	}
}

// pass lets time go by, in which what is due may fire, or fire later.
func (s *simulation) pass() {
	switch s.dice.intN(32) {
	case 0:
		if next := s.due(); next != group.Never {
			s.time = max(s.time, next)
		}
	case 1:
		s.time += group.Time(s.dice.intN(3000))
	default:
		s.time += group.Time(s.dice.intN(100))
	}
	if !s.host.batch.handed {
		s.settle()
	}
}

// storeAnswers tells what became of the batch under way.
func (s *simulation) storeAnswers() {
	if !s.host.batch.handed {
		return
	}
	switch n := s.dice.intN(16); {
	case n == 0:
		s.trace("the store refuses")
		s.refused()
	case n == 1 && s.dice.oneIn(s.peace):
		s.trace("nobody knows that the store has it")
		s.persist()
		s.unload()
	case n == 2 && s.dice.oneIn(s.peace):
		s.trace("nobody knows that the store has lost it")
		s.unload()
	default:
		s.stored()
	}
}

// disturb is what befalls the coordinator.
func (s *simulation) disturb() {
	switch n := s.dice.intN(8); {
	case n == 0 && s.dice.oneIn(s.peace):
		if s.dice.oneIn(2) {
			s.trace("the store has it")
			s.persist()
		}
		s.trace("crash")
		s.crash()
	case n == 1 && s.dice.oneIn(s.peace):
		s.trace("the partition moves")
		s.unload()
	case n == 2:
		jump := group.Time(s.dice.intN(20_000))
		s.trace("the clock jumps by %d", jump)
		s.skew += jump
	default:
		if arrived := s.wire.arrived; len(arrived) > 0 {
			s.trace("again")
			s.receive(arrived[s.dice.intN(len(arrived))])
		}
	}
}

// administer sends what no member does.
func (s *simulation) administer() {
	ev := group.Event{Kind: pick(&s.dice, group.EndTransaction, group.EndTransaction, group.EndTransaction, group.Commit,
		group.DeleteOffsets, group.DeleteGroup, group.TopicDeleted, group.Expire, group.Leave)}
	switch ev.Kind {
	case group.EndTransaction:
		ev.ProducerID, ev.Committed = int64(s.dice.intN(2)), s.dice.intN(4) > 0
	case group.Commit:
		ev.Generation, ev.Offsets = -1, s.newOffsets()
	case group.DeleteOffsets:
		ev.Partitions = []group.TopicPartition{{Topic: pick(&s.dice, "t1", "t2"), Partition: int32(s.dice.intN(3))}}
	case group.TopicDeleted:
		ev.Topic = pick(&s.dice, "t1", "t2")
	case group.Leave:
		ev.Leaving = []group.LeavingMember{{InstanceID: s.pickMember().instance}}
	case group.Expire:
		if !s.host.batch.handed {
			if s.step(nil, &ev); len(s.host.batch.records) == 0 {
				s.ledger.apply(s, &cause{nil, &ev, s.now()}) // nothing was too old
				s.ledger.compare(s)
			}
			s.settle()
		}
		return
	}
	s.asked++
	s.wire.send(s, message{request: &request{nil, s.asked, ev}})
}

// newOffsets returns an offset or two that nobody has committed before.
func (s *simulation) newOffsets() []group.OffsetCommit {
	var offsets []group.OffsetCommit
	for range 1 + s.dice.intN(2) {
		s.offsets++
		offsets = append(offsets, group.OffsetCommit{
			Topic: pick(&s.dice, "t1", "t2"), Partition: int32(s.dice.intN(3)), Offset: s.offsets, LeaderEpoch: -1,
			Metadata: pick(&s.dice, "", "", "", "abcd"), Retention: pick[int64](&s.dice, -1, -1, -1, 5000),
		})
	}
	return offsets
}
