package group

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// dump shows everything that a group's behaviour depends on; deadlines are told from now.
func dump(g *Group, now Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s from %s, generation %d, type %q, protocol %q, batch %d, to sync %d", g.state, g.previous, g.generation,
		g.protocolType, g.protocol, g.batch, g.toSync)
	if g.state == PreparingRebalance && g.previous == Empty {
		fmt.Fprintf(&b, ", delay left %d", g.delayLeft)
	}
	fmt.Fprintf(&b, ", new member %v%s%s\n", g.newMember, due(" join", &g.join, now), due(" sync", &g.sync, now))
	for m := range g.members.all {
		fmt.Fprintf(&b, "  %s%s%s%s%s%s%s%s", m.id, marked(" leads", m == g.leader), marked(" new", m.isNew), marked(" joining", m.join != 0),
			marked(" syncing", m.sync != 0), marked(" to-sync", m.toSync), due(" session", &m.session, now), describeMember(m))
		for _, p := range m.protocols {
			fmt.Fprintf(&b, " %s:%s", p.Name, p.Metadata)
		}
		b.WriteString("\n")
	}
	for _, t := range pendingInOrder(g) {
		fmt.Fprintf(&b, "  %s pending%s\n", t.id, due("", t, now))
	}
	dumpOffsets(&b, g)
	return b.String()
}

// dumpDurable shows what a group has that its records have too (G-209, G-211).
func dumpDurable(g *Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s since %d, generation %d, type %q, protocol %q\n", g.state, g.since, g.generation, g.protocolType, g.protocol)
	for m := range g.members.all {
		fmt.Fprintf(&b, "  %s%s%s %s:%s\n", m.id, marked(" leads", m == g.leader), describeMember(m), g.protocol, m.metadata(g.protocol))
	}
	dumpOffsets(&b, g)
	return b.String()
}

// pendingInOrder lists the ids that were given out, the oldest first.
func pendingInOrder(g *Group) []*timer {
	return slices.SortedFunc(maps.Values(g.pending), func(a, b *timer) int { return cmp.Compare(a.order, b.order) })
}

func describeMember(m *member) string {
	instance := ""
	if m.static() {
		instance = " instance " + *m.instanceID
	}
	return fmt.Sprintf("%s client %s%s time-outs %d %d assignment %q", instance, m.clientID, m.clientHost, m.sessionTimeout, m.rebalanceTimeout, m.assignment)
}

func dumpOffsets(b *strings.Builder, g *Group) {
	g.Offsets(func(topic string, partition int32, o Offset) bool {
		fmt.Fprintf(b, "  offset %s-%d %+v\n", topic, partition, o)
		return true
	})
	for _, producer := range g.offsets.producers() {
		t := g.offsets.pending[producer]
		for _, p := range t.partitions() {
			fmt.Fprintf(b, "  offset of %d %s-%d %+v, later %v\n", producer, p.topic, p.number, t[p].Offset, g.offsets.committed[p.topic][p.number].at < t[p].at)
		}
	}
}

func marked(name string, on bool) string {
	if on {
		return name
	}
	return ""
}

func due(name string, t *timer, now Time) string {
	if !t.set() {
		return ""
	}
	return fmt.Sprintf("%s in %d", name, t.deadline-now)
}
