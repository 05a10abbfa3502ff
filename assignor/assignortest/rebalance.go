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
		again = l.sync(p, tr.got[p.ID]) || again
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
				m.UserData = teller.UserData(assignor.Assignment{Generation: m.Since(), Partitions: m.OwnedByTopic()})
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

// sync gives a member its assignment, and reports whether it has lost something that it has now to give up.
func (l *living) sync(p *participant, got map[string][]int32) (lost bool) {
	for q := range p.owns() {
		lost = lost || !slices.Contains(got[q.topic], int32(q.number))
	}
	generation := l.generation
	p.Owned, p.Generation, p.holds = got, &generation, true
	return lost
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
