package assignortest

import (
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/internal/vector"
)

// A living group goes from one rebalance to the next as Java's ConsumerCoordinator has its members do (KIP-429, G-493, G-494,
// G-508): eager members have given up everything as they join, cooperative ones what they no longer subscribe to; and
// cooperative ones that find they have lost something give it up and join again.
type living struct {
	c           *checker
	history     history
	cooperative bool
	topics      []vector.Topic
	members     []*participant
	generation  int32
	born        int             // members so far
	rounds      []*vector.Input // what the leaders had to solve
}

// participant is a member with what it was last assigned. An eager one only remembers that while it joins.
type participant struct {
	vector.Member
	missing bool // it does not get its next assignment
	holds   bool // what it was assigned, which it still owns
}

// live takes an assignor through a history, under each rebalance protocol that it supports.
func (c *checker) live(h history) []fault {
	for _, cooperative := range []bool{true, false} {
		if cooperative && !c.cooperative || !cooperative && !c.eager {
			continue
		}
		l := c.newGroup(h, cooperative)
		for _, e := range h.events {
			l.happen(e)
			if faults := l.settle(); len(faults) > 0 || c.stopped.Load() {
				return faults
			}
		}
	}
	return nil
}

func (c *checker) newGroup(h history, cooperative bool) *living {
	l := &living{c: c, history: h, cooperative: cooperative}
	for n, count := range h.partitions {
		l.topics = append(l.topics, topic(n, count, h.racked))
	}
	return l
}

// happen changes the group.
func (l *living) happen(e event) {
	if e.kind == grows {
		n := e.who % len(l.topics)
		l.topics[n] = topic(n, l.topics[n].Parts+e.arg, l.history.racked)
		return
	}
	if e.kind == joins {
		if len(l.members) < maxMembers {
			p := &participant{Member: vector.Member{Rack: racks[e.who%len(racks)], Subs: l.allBut(e.arg)}}
			if !l.history.racked {
				p.Rack = ""
			}
			if e.who%2 == 1 {
				p.Instance = fmt.Sprintf("i%d", 99-l.born)
			}
			l.start(p)
			l.members = append(l.members, p)
		}
		return
	}
	if len(l.members) == 0 {
		return
	}
	who := e.who % len(l.members)
	switch p := l.members[who]; e.kind {
	case leaves:
		l.members = slices.Delete(l.members, who, who+1)
	case changes:
		p.Subs = l.allBut(e.arg)
	case misses:
		p.missing = true
	case restarts:
		l.start(p)
	}
}

// start makes a new process of a member, with an id that none had before.
func (l *living) start(p *participant) {
	p.ID, p.Owned, p.Told, p.Generation, p.holds = fmt.Sprintf("m%d", l.born), nil, nil, nil, false
	l.born++
}

func (l *living) allBut(set int) []string {
	subs := []string{}
	for n := range l.topics {
		if set>>n&1 == 0 {
			subs = append(subs, l.topics[n].Name)
		}
	}
	return subs
}

// settle has the group rebalance until no member joins again.
func (l *living) settle() []fault {
	if slices.ContainsFunc(l.members, func(p *participant) bool { return p.missing }) {
		if _, faults := l.rebalance(); len(faults) > 0 { // one that does not count
			return faults
		}
	}
	for round, again := 1, true; again; round++ {
		var faults []fault
		if again, faults = l.rebalance(); len(faults) > 0 {
			return faults
		}
		if again && round == 2 {
			return l.fault(twoRounds, "in the second rebalance after a change members still have to give partitions up, or ask for another one")
		}
	}
	if !l.c.stays || l.cooperative != l.c.cooperative {
		return nil
	}
	owners := l.owners()
	if _, faults := l.rebalance(); len(faults) > 0 {
		return faults
	}
	for p, now := range l.owners() {
		if now != owners[p] {
			return l.fault(stickiness, fmt.Sprintf("nothing has changed, and %v moves from %s to %s", p, owners[p], now))
		}
	}
	return nil
}

// fault is one of the group, shown by its last rebalances.
func (l *living) fault(check check, text string) []fault {
	return []fault{{check: check, text: text, history: &l.history, past: l.rounds[max(0, len(l.rounds)-4):]}}
}
