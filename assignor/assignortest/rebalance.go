package assignortest

import (
	"iter"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// rebalance has everybody join and sync once, and reports whether a member joins again because it has lost something.
func (l *living) rebalance() (again bool, faults []fault) {
	if len(l.members) == 0 {
		return false, nil
	}
	in, f := l.join()
	if f != nil {
		return false, []fault{*f}
	}
	l.rounds = append(l.rounds, in)
	tr, faults := l.c.look(in)
	if len(faults) > 0 {
		return false, faults
	}
	l.generation++
	for _, p := range l.members {
		if p.missing {
			p.missing = false
			continue
		}
		lost, f := l.sync(p, tr)
		if f != nil {
			return false, l.fault(f.check, f.text)
		}
		again = lost || again
	}
	return again, nil
}

// join is what the leader gets, and what members give up first.
func (l *living) join() (*vector.Input, *fault) {
	in := &vector.Input{Topics: slices.Clone(l.topics)}
	for _, p := range l.members {
		p.holds = p.holds && l.cooperative
		if l.cooperative {
			maps.DeleteFunc(p.Owned, func(topic string, _ []int32) bool { return !slices.Contains(p.Subs, topic) })
		}
		m := p.Member
		m.Owned = maps.Clone(p.Owned)
		if teller, ok := l.c.a.(assignor.UserDataAssignor); ok && l.c.cooperative && !l.cooperative {
			if f := l.c.guard(func() *fault {
				m.UserData = teller.UserData(assignor.Assignment{Generation: m.Since(), Partitions: m.OwnedByTopic(), UserData: p.Told})
				return nil
			}); f != nil {
				return nil, f.on(in)
			}
		}
		if l.c.cooperative && !l.cooperative {
			m.Owned = nil
		}
		in.Members = append(in.Members, m)
	}
	return in, nil
}

// sync gives a member its assignment, and reports whether it joins again at once: it has lost something that it has now to
// give up, or its assignor asks for it.
func (l *living) sync(p *participant, tr *trial) (again bool, f *fault) {
	got := tr.got[p.ID]
	for q := range p.owns() {
		again = again || !slices.Contains(got[q.topic], int32(q.number))
	}
	generation := l.generation
	p.Owned, p.Told, p.Generation, p.holds = got, tr.told[p.ID], &generation, true
	if listener, ok := l.c.a.(assignor.AssignmentListener); ok {
		f = l.c.guard(func() *fault {
			rejoin, after := listener.OnAssignment(assignor.Assignment{Generation: generation, Partitions: p.OwnedByTopic(), UserData: p.Told})
			again = again || rejoin && after <= 0
			return nil
		})
	}
	return again, f
}

// owns yields what a member owns.
func (p *participant) owns() iter.Seq[partition] {
	return func(yield func(partition) bool) {
		for topic, list := range p.Owned {
			for _, q := range list {
				if p.holds && !yield(partition{topic, int(q)}) {
					return
				}
			}
		}
	}
}

// owners is who owns what, by id.
func (l *living) owners() map[partition]string {
	owners := map[partition]string{}
	for _, p := range l.members {
		for q := range p.owns() {
			owners[q] = p.ID
		}
	}
	return owners
}
