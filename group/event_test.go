package group

import "testing"

// Events of the clients that the tests play. A client's name is the prefix of its member ids: those of "a" are a-1, a-2
// and so on. Options change the plain request.

type option func(*Event)

func event(ev Event, options []option) Event {
	for _, o := range options {
		o(&ev)
	}
	return ev
}

// joining is a JoinGroup of a client that comes again with the id that it is given (KIP-394); an empty id is none yet.
func joining(client, memberID string, options ...option) Event {
	return event(Event{
		Kind: Join, MemberID: memberID, ClientID: client, ClientHost: "/10.0.0.1", RequiresKnownID: true,
		ProtocolType: "consumer", Protocols: []Protocol{{"range", []byte("t1")}},
		SessionTimeout: 10_000, RebalanceTimeout: 60_000,
	}, options)
}

// newcomer is a join that makes its sender a member at once: of a version without MEMBER_ID_REQUIRED (G-050).
func newcomer(client string, options ...option) Event {
	ev := joining(client, "", options...)
	ev.RequiresKnownID = false
	return ev
}

func as(instance string) option { return func(ev *Event) { ev.InstanceID = &instance } }

func knowingSkip(ev *Event) { ev.KnowsSkip = true }

func ofType(protocolType string) option { return func(ev *Event) { ev.ProtocolType = protocolType } }

func timeouts(session, rebalance Millis) option {
	return func(ev *Event) { ev.SessionTimeout, ev.RebalanceTimeout = session, rebalance }
}

// listing names the protocols, each with the same metadata.
func listing(metadata string, names ...string) option {
	return func(ev *Event) {
		ev.Protocols = nil
		for _, name := range names {
			ev.Protocols = append(ev.Protocols, Protocol{name, []byte(metadata)})
		}
	}
}

func syncing(memberID string, generation int32, options ...option) Event {
	return event(Event{Kind: Sync, MemberID: memberID, Generation: generation}, options)
}

// assigning gives each member an assignment that tells whose it is and for what generation it was made.
func assigning(memberIDs ...string) option {
	return func(ev *Event) {
		for _, id := range memberIDs {
			ev.Assignments = append(ev.Assignments, Assignment{id, given(ev.Generation, id)})
		}
	}
}

func naming(protocolType, protocol string) option {
	return func(ev *Event) { ev.NamesProtocol, ev.ProtocolType, ev.ProtocolName = true, protocolType, protocol }
}

func beating(memberID string, generation int32, options ...option) Event {
	return event(Event{Kind: Heartbeat, MemberID: memberID, Generation: generation}, options)
}

func leaving(memberIDs ...string) Event {
	ev := Event{Kind: Leave}
	for _, id := range memberIDs {
		ev.Leaving = append(ev.Leaving, LeavingMember{MemberID: id})
	}
	return ev
}

func committing(memberID string, generation int32, options ...option) Event {
	return event(Event{
		Kind: Commit, MemberID: memberID, Generation: generation,
		Offsets: []OffsetCommit{{Topic: "t1", Offset: 7, LeaderEpoch: -1, Retention: -1}},
	}, options)
}

// inTransaction makes a commit that of a producer's transaction.
func inTransaction(producer int64) option {
	return func(ev *Event) { ev.Transactional, ev.ProducerID = true, producer }
}

func ending(producer int64, committed bool) Event {
	return Event{Kind: EndTransaction, ProducerID: producer, Committed: committed}
}

// of names topic and partition of the one offset of a commit, and the offset itself.
func of(topic string, partition int32, offset int64) option {
	return func(ev *Event) {
		ev.Offsets[0].Topic, ev.Offsets[0].Partition, ev.Offsets[0].Offset = topic, partition, offset
	}
}

// completing drives a new group to CompletingRebalance in generation 1. The first of the newcomers leads, and their
// ids are a-1 of client a and so on.
func completing(t testing.TB, config Config, newcomers ...Event) *driver {
	t.Helper()
	d := drive(t, config)
	for _, ev := range newcomers {
		d.send(ev)
	}
	for d.g.state == PreparingRebalance {
		d.tick()
	}
	clear(d.answers)
	d.state(CompletingRebalance, 1)
	return d
}

// stable drives a new group to Stable in generation 1, with an assignment for everybody.
func stable(t testing.TB, config Config, newcomers ...Event) *driver {
	t.Helper()
	d := completing(t, config, newcomers...)
	d.assign()
	d.state(Stable, 1)
	return d
}

// assign lets every member of a CompletingRebalance sync, the leader last.
func (d *driver) assign() {
	d.t.Helper()
	var ids []string
	for m := range d.g.members.all {
		ids = append(ids, m.id)
	}
	for _, id := range ids {
		if id != d.g.leader.id {
			d.send(syncing(id, d.g.generation))
		}
	}
	d.send(syncing(d.g.leader.id, d.g.generation, assigning(ids...)))
	clear(d.answers)
}
