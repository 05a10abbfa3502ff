package group

import (
	"errors"
	"fmt"
	"slices"
)

// check returns what is wrong with a group: the invariants of the package's documentation, and those of the structures
// that keep them.
func check(g *Group) error {
	return errors.Join(checkRoster(g), checkParked(g), checkProtocols(g), checkState(g), checkTimers(g), checkWaits(g))
}

// checkRoster: the members by id, by instance id and in join order are the same, and one of them leads.
func checkRoster(g *Group) error {
	var prev *member
	listed, static := 0, 0
	for m := g.members.first; m != nil && listed <= g.members.len(); m = m.next {
		listed++
		if m.static() {
			static++
		}
		switch {
		case g.members.byID[m.id] != m:
			return fmt.Errorf("member %s is not found by its id", m.id)
		case m.session.id != m.id:
			return fmt.Errorf("the session of %s is that of %s", m.id, m.session.id)
		case m.prev != prev:
			return fmt.Errorf("member %s does not follow on the one before it", m.id)
		case m.static() && g.instances[*m.instanceID] != m:
			return fmt.Errorf("%s does not own instance %s", m.id, *m.instanceID)
		}
		prev = m
	}
	switch {
	case g.members.last != prev:
		return errors.New("the last member is another")
	case listed != g.members.len():
		return fmt.Errorf("%d members in join order, %d by id", listed, g.members.len())
	case static != len(g.instances):
		return fmt.Errorf("%d static members, %d instances", static, len(g.instances))
	case (g.leader == nil) != (listed == 0):
		return fmt.Errorf("%d members, a leader: %v", listed, g.leader != nil)
	case g.leader != nil && g.members.byID[g.leader.id] != g.leader:
		return errors.New("the leader is no member")
	}
	return nil
}

// checkParked: requests wait only where the state lets them.
func checkParked(g *Group) error {
	joins, toSync := 0, 0
	for m := range g.members.all {
		if m.join != 0 {
			joins++
		}
		if m.toSync {
			toSync++
		}
		replacing := g.batch == replacementBatch && g.replaced.member == m
		switch {
		case m.join != 0 && g.state != PreparingRebalance && !replacing:
			return fmt.Errorf("join of %s parked in %s", m.id, g.state)
		case m.sync != 0 && g.state != CompletingRebalance:
			return fmt.Errorf("sync of %s parked in %s", m.id, g.state)
		case m.isNew && m.join == 0:
			return fmt.Errorf("new member %s does not wait for its join", m.id)
		case m.join == 0 && g.state == PreparingRebalance && g.previous == Empty:
			return fmt.Errorf("%s is absent in the initial join phase", m.id)
		}
	}
	switch {
	case joins != g.parkedJoins:
		return fmt.Errorf("%d parked joins, %d counted", joins, g.parkedJoins)
	case toSync > g.toSync:
		return fmt.Errorf("%d members are to sync, %d counted", toSync, g.toSync)
	case g.state == CompletingRebalance && g.batch == noBatch && g.leader.sync != 0:
		return errors.New("the leader has synced and nothing is stored")
	}
	return nil
}

// checkProtocols: nobody is counted twice, and there is a protocol that everybody supports.
func checkProtocols(g *Group) error {
	support := make(map[string]int)
	for m := range g.members.all {
		for i, p := range m.protocols {
			for _, q := range m.protocols[:i] {
				if p.Name == q.Name {
					return fmt.Errorf("%s lists %s twice", m.id, p.Name)
				}
			}
			support[p.Name]++
		}
	}
	common := g.members.len() == 0
	for name, n := range support {
		if g.supported[name] != n {
			return fmt.Errorf("%s is supported by %d, counted %d", name, n, g.supported[name])
		}
		common = common || n == g.members.len()
	}
	switch {
	case len(support) != len(g.supported):
		return fmt.Errorf("%d protocols are supported, %d counted", len(support), len(g.supported))
	case !common:
		return errors.New("no protocol is supported by all")
	case (g.state == CompletingRebalance || g.state == Stable) && support[g.protocol] != g.members.len():
		return fmt.Errorf("the selected %s is not supported by all", g.protocol)
	}
	return nil
}

// checkState: what there must and must not be in each state.
func checkState(g *Group) error {
	members := g.members.len()
	for id := range g.pending {
		if g.members.byID[id] != nil {
			return fmt.Errorf("%s is a member and pending too", id)
		}
	}
	switch {
	case g.state == Dead && members+len(g.pending) > 0 || g.state == Dead && !g.offsets.empty():
		return errors.New("a dead group has something")
	case g.state == Empty && (members > 0 || g.protocol != ""):
		return fmt.Errorf("an empty group has %d members and protocol %q", members, g.protocol)
	case (g.state == CompletingRebalance || g.state == Stable) && (members == 0 || g.generation == 0):
		return fmt.Errorf("%d members in generation %d", members, g.generation)
	case len(g.pending) > g.config.MaxPending:
		return fmt.Errorf("%d pending ids", len(g.pending))
	}
	return nil
}

// checkTimers: the heap is one, and every timer in it belongs to somebody.
func checkTimers(g *Group) error {
	owned, fault := 0, error(nil)
	own := func(t *timer, kind timerKind) {
		if t.set() {
			owned++
		}
		switch {
		case t.kind != kind:
			fault = fmt.Errorf("timer %s has kind %d, not %d", t.id, t.kind, kind)
		case t.set() && (int(t.position) > len(g.timers.heap) || g.timers.heap[t.position-1] != t):
			fault = fmt.Errorf("timer %d %s is not in its place", t.kind, t.id)
		}
	}
	own(&g.join, joinTimer)
	own(&g.sync, syncTimer)
	for m := range g.members.all {
		own(&m.session, sessionTimer)
	}
	for id, t := range g.pending {
		own(t, pendingTimer)
		if !t.set() || t.id != id {
			return fmt.Errorf("pending id %s has no timer", id)
		}
	}
	for i, t := range g.timers.heap {
		switch {
		case t.queued > t.deadline:
			return fmt.Errorf("timer %d %s is queued after its deadline", t.kind, t.id)
		case i > 0 && t.before(g.timers.heap[(i-1)/2]):
			return fmt.Errorf("the heap is out of order at %d", i)
		}
	}
	if fault == nil && owned != len(g.timers.heap) {
		return fmt.Errorf("%d timers, %d of them owned", len(g.timers.heap), owned)
	}
	return fault
}

// checkWaits: nobody waits for what never comes. A join phase and the wait for syncs end by a timer, a member by its
// session or by the answer that it waits for.
func checkWaits(g *Group) error {
	for m := range g.members.all {
		if !m.session.set() && !m.satisfied() {
			return fmt.Errorf("nothing would ever end the session of %s", m.id)
		}
	}
	synced := g.state == CompletingRebalance || g.state == Stable
	switch {
	case g.join.set() != (g.state == PreparingRebalance):
		return fmt.Errorf("join timer %v in %s", g.join.set(), g.state)
	case g.toSync > 0 && !synced:
		return fmt.Errorf("%d to sync in %s", g.toSync, g.state)
	case g.sync.set() != (g.toSync > 0):
		return fmt.Errorf("sync timer %v with %d to sync", g.sync.set(), g.toSync)
	case len(g.waiting) > 0 && !slices.Contains([]batch{commitBatch, simpleBatch, emptyBatch, changeBatch}, g.batch):
		return errors.New("answers wait for no batch")
	}
	return nil
}
