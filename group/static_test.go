package group

import "testing"

// again is the join of a static client that has lost its member id.
func again(client, instance string, options ...option) Event {
	return joining(client, "", append([]option{as(instance)}, options...)...)
}

func TestStaticMemberComesBackToAStableGroup(t *testing.T) { // G-146 to G-148, KIP-814
	tests := []struct {
		name          string
		leads, knows  bool
		leader        string // in the answer
		skip, members bool
	}{
		{"leader that knows to skip the assignment", true, true, "s-2", true, true},
		{"leader that does not: it is told the old leader, and so follows", true, false, "s-1", false, false},
		{"follower that knows", false, true, "a-1", false, false},
		{"follower that does not", false, false, "a-1", false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first, second := newcomer("a"), newcomer("s", as("i"))
			if test.leads {
				first, second = second, first
			}
			d := stable(t, testConfig, first, second)
			d.hold = true
			ev := again("s", "i")
			ev.KnowsSkip = test.knows
			join := d.park(ev)
			d.must(len(d.records) == 1 && len(d.records[0].Metadata.Members) == 2, "records %+v", d.records)
			d.accept()
			r := d.answer(join)
			d.want(r, None)
			d.must(r.MemberID == "s-2" && r.Generation == 1 && r.LeaderID == test.leader && r.Skip == test.skip &&
				(len(r.Members) == 2) == test.members, "got %+v", r)
			d.state(Stable, 1)
			r = d.ask(syncing("s-2", 1))
			d.must(string(r.Assignment) == "#1 s-1", "its assignment is %q", r.Assignment)
			d.must((d.g.leader.id == "s-2") == test.leads, "%s leads", d.g.leader.id) // G-143
			d.must(d.removals[0] == Removal{"s-1", Replaced}, "removals %v", d.removals)
		})
	}
}

func TestReplacedMemberIsFenced(t *testing.T) { // G-156
	d := stable(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	d.want(d.ask(again("s", "i")), None)
	for _, state := range []State{Stable, PreparingRebalance} {
		d.want(d.ask(beating("s-1", 1, as("i"))), FencedInstanceID)
		d.want(d.ask(syncing("s-1", 1, as("i"))), FencedInstanceID)
		d.want(d.ask(committing("s-1", 1, as("i"))), FencedInstanceID)
		r := d.ask(joining("s", "s-1", as("i")))
		d.want(r, FencedInstanceID)
		d.must(r.MemberID == "s-1", "got %+v", r)
		instance := "i"
		d.must(d.ask(Event{Kind: Leave, Leaving: []LeavingMember{{"s-1", &instance}}}).Errors[0] == FencedInstanceID, "not fenced")
		d.want(d.ask(beating("s-1", 1)), UnknownMemberID) // G-139: without the instance id it is just unknown
		if state == Stable {
			d.park(joining("a", "a-1"))
		}
	}
}

func TestReplacementKeepsTheOldClient(t *testing.T) { // G-142, G-144
	d := stable(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	start := d.now
	d.advance(1000)
	ev := again("s", "i", timeouts(20_000, 90_000))
	ev.ClientHost = "/10.0.0.2"
	d.want(d.ask(ev), None)
	md := d.g.Describe().Members[1]
	d.must(md.ID == "s-2" && md.ClientHost == "/10.0.0.1", "described as %+v", md)
	session := &d.g.members.byID["s-2"].session
	d.must(session.deadline == start+11_000, "its session ends after %d", session.deadline-start) // the old time-out
	d.want(d.ask(beating("s-2", 1, as("i"))), None)
	d.must(session.deadline == d.now+20_000, "its session ends in %d", session.deadline-d.now)
}

func TestReplacementWithOtherTopicsDoesNotRebalance(t *testing.T) { // G-151: only the protocol's name counts
	d := stable(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	d.want(d.ask(again("s", "i", listing("t2", "range"))), None)
	d.state(Stable, 1)
	d.must(string(d.g.Describe().Members[1].Metadata) == "t2", "the old subscription")
}

func TestReplacementThatChangesTheProtocolRebalances(t *testing.T) { // G-150
	two := []string{"range", "roundrobin"}
	d := stable(t, testConfig, newcomer("a", listing("", "roundrobin", "range")), newcomer("s", as("i"), listing("", two...)))
	d.must(d.g.protocol == "range", "chose %s", d.g.protocol)
	d.park(again("s", "i", listing("", "roundrobin")))
	d.state(PreparingRebalance, 1)
	d.want(d.ask(again("t", "i", listing("", "range"))), InconsistentGroupProtocol)
	d.send(joining("a", "a-1", listing("", "roundrobin", "range")))
	d.must(d.g.protocol == "roundrobin", "chose %s", d.g.protocol)
}

func TestReplacementBeforeTheAssignmentRebalances(t *testing.T) { // G-141, G-152
	d := completing(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	d.want(d.ask(joining("s", "s-1", as("i"))), None)
	sync := d.park(syncing("s-1", 1))
	d.park(again("s", "i"))
	r := d.answer(sync)
	d.want(r, FencedInstanceID)
	d.state(PreparingRebalance, 1)
}

func TestReplacementOfAParkedJoin(t *testing.T) { // G-141, G-153
	d := stable(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	d.park(joining("a", "a-1"))
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	old := d.park(joining("s", "s-1", as("i")))
	d.park(again("s", "i"))
	r := d.answer(old)
	d.want(r, FencedInstanceID)
	d.must(r.MemberID == "s-1" && r.Generation == -1 && r.LeaderID == "" && r.ProtocolName == "", "got %+v", r)
}

func TestReplacedMemberThatWaitsDoesNotExpire(t *testing.T) { // as Kafka 4.4.0: it is no new member any more
	config := testConfig
	config.InitialRebalanceDelay = 400_000
	d := drive(t, config)
	old := d.park(newcomer("s", as("i")))
	d.advance(100_000)
	join := d.park(again("s", "i"))
	d.want(d.answer(old), FencedInstanceID)
	d.advance(299_999)
	d.waits(join)
	d.advance(1)
	d.want(d.answer(join), None)
}

func TestReplacementThatTheStoreRefuses(t *testing.T) { // G-149
	d := stable(t, testConfig, newcomer("s", as("i")), newcomer("a"))
	before := dump(d.g, d.now)
	d.advance(1000)
	d.removals, d.transitions = nil, nil
	d.hold = true
	join := d.park(again("s", "i", timeouts(20_000, 90_000), listing("t2", "range", "sticky"), knowingSkip))
	d.now += 500
	d.refuse(CoordinatorNotAvailable)
	r := d.answer(join)
	d.want(r, CoordinatorNotAvailable)
	d.must(r.MemberID == "" && r.Generation == 1 && r.ProtocolType == "consumer" && r.ProtocolName == "range" && r.LeaderID == "s-1", "got %+v", r)
	d.want(d.ask(beating("a-1", 1)), None)
	d.must(dump(d.g, d.now) == before, "the group was\n%s", before) // with its session begun again
	d.must(len(d.removals) == 0 && len(d.transitions) == 0, "told of %v %v", d.removals, d.transitions)
	d.want(d.ask(beating("s-1", 1, as("i"))), None)
}

func TestRefusedReplacementIsStillToSync(t *testing.T) { // G-149, G-145
	long := timeouts(200_000, 60_000)
	d := completing(t, testConfig, newcomer("a", long), newcomer("s", long, as("i")))
	d.send(syncing("a-1", 1))
	d.hold = true
	d.park(again("s", "i", long))
	d.refuse(CoordinatorNotAvailable)
	d.must(d.g.members.byID["s-1"].toSync, "nobody waits for its sync")
	d.hold = false
	d.want(d.ask(syncing("s-1", 1)), None)
	d.advance(100_000)
	d.state(Stable, 1)
}

func TestReplacementLeavesAGhostAmongThoseToSync(t *testing.T) { // G-145
	long := timeouts(200_000, 60_000)
	d := completing(t, testConfig, newcomer("a", long), newcomer("s", long, as("i")))
	d.send(syncing("a-1", 1))
	d.want(d.ask(again("s", "i", long)), None)
	d.want(d.ask(syncing("s-2", 1)), None)
	d.advance(59_999)
	d.state(Stable, 1) // everybody has synced, but for the id that is gone
	d.advance(1)
	d.state(PreparingRebalance, 1)
	d.must(d.g.members.len() == 2, "somebody was removed")
}

func TestAdministratorRemovesAStaticMember(t *testing.T) { // G-160
	d := stable(t, testConfig, newcomer("a"), newcomer("s", as("i")))
	instance := "i"
	d.must(d.ask(Event{Kind: Leave, Leaving: []LeavingMember{{"", &instance}}}).Errors[0] == None, "refused")
	d.state(PreparingRebalance, 1)
	d.want(d.ask(beating("s-1", 1, as("i"))), UnknownMemberID)
	d.park(again("s", "i")) // a member like any other (G-134)
	d.must(d.g.members.byID["s-2"].isNew, "not new")
}
