package group

import (
	"math"
	"slices"
	"testing"
)

// source draws numbers below n: a random generator, or the bytes of a fuzzer.
type source interface{ IntN(n int) int }

func pick[T any](s source, choices ...T) T { return choices[s.IntN(len(choices))] }

// chaos is a group that anybody asks anything: members and strangers, in order and out of it, with time-outs and
// protocols of every kind, while its store accepts, refuses and goes away.
type chaos struct {
	*world
	source
	ids []string // all that were ever given out
}

func newChaos(t testing.TB, s source) *chaos {
	config := Config{
		InitialRebalanceDelay: pick[Millis](s, 0, 1000, 3000), MaxSize: pick(s, 1, 3, 100), MaxPending: pick(s, 0, 2, 100), OffsetMetadataMax: 3,
		OffsetsRetention: pick[int64](s, 1000, 100_000), SubscribedTopics: oneTopic,
	}
	return &chaos{world: newWorld(t, config), source: s, ids: []string{"", "stranger"}}
}

// happen lets one thing happen.
func (c *chaos) happen() {
	c.t.Helper()
	switch {
	case c.g.batch != noBatch && c.IntN(4) > 0:
		pick(c, c.accept, c.accept, c.accept, func() { c.refuse(pick(c, CoordinatorNotAvailable, UnknownServerError)) })()
	case c.g.batch != noBatch:
		ev := c.committing()
		if c.g.Gathers(&ev) {
			c.send(ev)
		}
	default:
		pick(c, c.request, c.request, c.request, c.request, c.request, c.pass, c.pass, c.again, c.administer)()
	}
	clear(c.answers)
	c.checkRebuild()
}

func (c *chaos) again() {
	if c.IntN(8) == 0 {
		c.reload(c.config)
	}
}

// pass lets some time go by in which members heartbeat, or goes to the next deadline.
func (c *chaos) pass() {
	if c.g.NextDeadline() != Never && c.IntN(4) == 0 {
		c.tick()
		return
	}
	c.now += pick[Time](c, 1, 100, 1000)
	c.fire()
	for _, m := range slices.Collect(c.g.members.all) {
		if c.g.batch == noBatch && c.IntN(8) > 0 {
			c.send(beating(m.id, c.g.generation))
		}
	}
}

func (c *chaos) request() {
	ev := c.rightly()
	if c.IntN(4) == 0 {
		ev = pick(c, c.joining, c.syncing, c.beating, c.leaving, c.committing)()
	}
	c.send(ev)
	if ev.Kind == Join && ev.MemberID == "" {
		c.ids = append(c.ids, memberID(ev.ClientID, c.driver.ids[ev.ClientID]))
	}
}

// rightly is a request that somebody would make now: a newcomer, one that has been given an id, or a member.
func (c *chaos) rightly() Event {
	pending := pendingInOrder(c.g)
	switch {
	case len(pending) > 0 && c.IntN(4) == 0:
		return c.fitting(pending[0].id, nil)
	case c.g.members.len() == 0 || c.IntN(8) == 0:
		return c.fitting("", c.instance())
	}
	return c.ofMember(slices.Collect(c.g.members.all)[c.IntN(c.g.members.len())])
}

// fitting is a join that the group's protocols let in.
func (c *chaos) fitting(id string, instance *string) Event {
	ev := c.joining()
	ev.MemberID, ev.InstanceID, ev.ProtocolType = id, instance, "consumer"
	ev.Protocols = append(ev.Protocols, Protocol{"range", nil})
	for m := range c.g.members.all {
		ev.ProtocolType, ev.Protocols = c.g.protocolType, m.protocols
		break
	}
	return ev
}

// ofMember is a request that a member would make, or its next incarnation if it is static.
func (c *chaos) ofMember(m *member) Event {
	identity := func(ev *Event) { ev.InstanceID = m.instanceID }
	switch {
	case m.static() && c.IntN(8) == 0:
		return c.fitting("", m.instanceID)
	case c.g.state == PreparingRebalance || c.IntN(8) == 0:
		ev := c.fitting(m.id, m.instanceID)
		ev.Protocols = m.protocols
		return ev
	case c.IntN(16) == 0:
		return leaving(m.id)
	case c.g.state == CompletingRebalance:
		return syncing(m.id, c.g.generation, identity, c.assigningAll)
	}
	return pick(c, syncing, beating, committing)(m.id, c.g.generation, identity)
}

func (c *chaos) id() string { return c.ids[max(0, len(c.ids)-1-c.IntN(8))] }

func (c *chaos) instance() *string {
	i := pick(c, "", "i", "j")
	return pick(c, nil, nil, &i)
}

func (c *chaos) generation() int32 {
	return pick(c, c.g.generation, c.g.generation, c.g.generation-1, c.g.generation+1, -1, math.MinInt32)
}

func (c *chaos) joining() Event {
	ev := joining(pick(c, "a", "b", "c"), pick(c, "", c.id(), c.id()), ofType(pick(c, "consumer", "consumer", "consumer", "consumer", "connect", "")))
	ev.InstanceID = c.instance()
	ev.RequiresKnownID, ev.KnowsSkip = c.IntN(2) == 0, c.IntN(2) == 0
	ev.SessionTimeout, ev.RebalanceTimeout = 10_000, 5000
	if c.IntN(8) == 0 {
		ev.SessionTimeout = pick[Millis](c, -1, 0, 1000)
	}
	if c.IntN(8) == 0 {
		ev.RebalanceTimeout = pick[Millis](c, math.MinInt32, 0, 1, 1000, math.MaxInt32)
	}
	ev.Protocols = nil
	for range c.IntN(4) {
		ev.Protocols = append(ev.Protocols, Protocol{pick(c, "range", "range", "sticky", "roundrobin", ""), pick(c, nil, []byte("t1"), []byte("t2"))})
	}
	return ev
}

func (c *chaos) syncing() Event {
	ev := syncing(c.id(), c.generation())
	ev.InstanceID = c.instance()
	ev.NamesProtocol, ev.ProtocolType, ev.ProtocolName = c.IntN(2) == 0, pick(c, "consumer", "connect"), pick(c, "range", "sticky", "")
	for range c.IntN(4) {
		assigning(c.id())(&ev)
	}
	return ev
}

func (c *chaos) beating() Event {
	ev := beating(c.id(), c.generation())
	ev.InstanceID = c.instance()
	return ev
}

func (c *chaos) leaving() Event {
	ev := Event{Kind: Leave}
	for range c.IntN(4) {
		ev.Leaving = append(ev.Leaving, LeavingMember{c.id(), c.instance()})
	}
	return ev
}

func (c *chaos) committing() Event {
	ev := Event{Kind: Commit, MemberID: c.id(), Generation: c.generation(), InstanceID: c.instance()}
	for range c.IntN(4) {
		ev.Offsets = append(ev.Offsets, OffsetCommit{
			Topic: pick(c, "t1", "t2", ""), Partition: int32(c.IntN(3)), Offset: int64(c.IntN(100)) - 1, LeaderEpoch: -1,
			Metadata: pick(c, "", "abc", "abcd", "\xff"), Retention: pick[int64](c, -1, 0, math.MinInt64, math.MaxInt64),
		})
	}
	ev.Transactional, ev.ProducerID = c.IntN(3) == 0, int64(c.IntN(3))
	return ev
}

// administer does what no member does.
func (c *chaos) administer() {
	c.send(pick(c,
		ending(int64(c.IntN(3)), c.IntN(2) == 0),
		ending(int64(c.IntN(3)), true),
		Event{Kind: DeleteOffsets, Partitions: []TopicPartition{{"t1", int32(c.IntN(3))}, {"t2", int32(c.IntN(3))}}},
		Event{Kind: DeleteGroup},
		Event{Kind: TopicDeleted, Topic: pick(c, "t1", "t2")},
		Event{Kind: Expire}))
}

// oneTopic reads metadata that is the name of a topic.
func oneTopic(metadata []byte) ([]string, bool) { return []string{string(metadata)}, len(metadata) > 0 }
