package group

import (
	"maps"
	"slices"
)

// clone copies a world, so that one situation can go on in many ways.
func (w *world) clone() *world {
	d := *w.driver
	d.g = clone(w.g)
	d.out = Output{}
	d.open, d.answers, d.ids = maps.Clone(w.open), maps.Clone(w.answers), maps.Clone(w.ids)
	d.records, d.log = slices.Clone(w.records), slices.Clone(w.log)
	d.transitions, d.removals = nil, nil
	return &world{driver: &d, config: w.config, clients: slices.Clone(w.clients)}
}

// clone copies a group and all that it may change.
func clone(g *Group) *Group {
	c := *g
	timers := map[*timer]*timer{&g.join: &c.join, &g.sync: &c.sync}
	members := make(map[*member]*member)
	c.members = roster{}
	for m := range g.members.all {
		n := *m
		n.prev, n.next = nil, nil
		c.members.add(&n)
		members[m], timers[&m.session] = &n, &n.session
	}
	c.leader, c.replaced.member = members[g.leader], members[g.replaced.member]
	c.instances = maps.Clone(g.instances)
	for instance, m := range c.instances {
		c.instances[instance] = members[m]
	}
	c.pending = maps.Clone(g.pending)
	for id, t := range c.pending {
		u := *t
		c.pending[id], timers[t] = &u, &u
	}
	c.timers.heap = slices.Clone(g.timers.heap)
	for i, t := range c.timers.heap {
		c.timers.heap[i] = timers[t]
	}
	c.supported, c.waiting = maps.Clone(g.supported), slices.Clone(g.waiting)
	c.offsets.committed, c.offsets.pending = maps.Clone(g.offsets.committed), maps.Clone(g.offsets.pending)
	for topic, partitions := range c.offsets.committed {
		c.offsets.committed[topic] = maps.Clone(partitions)
	}
	for producer, t := range c.offsets.pending {
		c.offsets.pending[producer] = maps.Clone(t)
	}
	return &c
}
