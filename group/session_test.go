package group

import "testing"

func TestSilentMemberExpires(t *testing.T) { // G-130, G-133 to G-135
	d := trio(t, Stable)
	start := d.now
	d.advance(9999)
	d.want(d.ask(beating("a-1", 1)), None)
	d.want(d.ask(beating("c-1", 1, as("i"))), None)
	d.advance(1)
	d.state(PreparingRebalance, 1)
	d.want(d.ask(beating("b-1", 1)), UnknownMemberID)
	d.must(d.removals[0] == Removal{"b-1", SessionExpired}, "removals %v", d.removals)
	d.advance(9999) // a-1, which leads, and the static c-1 expire as well
	d.state(Empty, 2)
	d.must(d.now == start+19_999, "at %d", d.now-start)
	r := d.ask(joining("c", "c-1", as("i")))
	d.want(r, UnknownMemberID)
}

func TestSessionTimerIsRestartedBy(t *testing.T) { // G-128
	tests := []struct {
		name  string
		state State
		do    func(d *driver)
		again bool
	}{
		{"a heartbeat", Stable, func(d *driver) { d.ask(beating("b-1", 1)) }, true},
		{"a heartbeat answered REBALANCE_IN_PROGRESS", PreparingRebalance, func(d *driver) { d.ask(beating("b-1", 1)) }, true},
		{"no heartbeat of another generation", Stable, func(d *driver) { d.ask(beating("b-1", 0)) }, false},
		{"a commit (G-248)", Stable, func(d *driver) { d.ask(committing("b-1", 1)) }, true},
		{"a commit before the rejoin", PreparingRebalance, func(d *driver) { d.ask(committing("b-1", 1)) }, true},
		{"no commit that is refused", CompletingRebalance, func(d *driver) { d.ask(committing("b-1", 1)) }, false},
		{"the end of a wait for the assignment (G-111)", CompletingRebalance, func(d *driver) {
			d.park(syncing("b-1", 1))
			d.send(syncing("a-1", 1))
		}, true},
		{"no assignment that it does not wait for", CompletingRebalance, func(d *driver) { d.send(syncing("a-1", 1)) }, false},
		{"no sync in Stable (G-114)", Stable, func(d *driver) { d.ask(syncing("b-1", 1)) }, false},
		{"no rejoin that is answered at once", Stable, func(d *driver) { d.ask(joining("b", "b-1")) }, false},
		{"a load (G-210)", Stable, func(d *driver) { d.reload(testConfig) }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := trio(t, test.state)
			start := d.now
			d.advance(5000)
			test.do(d)
			want := start + 10_000
			if test.again {
				want = d.now + 10_000
			}
			got := d.g.members.byID["b-1"].session.deadline
			d.must(got == want, "ends in %d", got-d.now)
		})
	}
}

func TestNewMemberExpiresAfterFiveMinutesThoughParked(t *testing.T) { // G-129, G-131, G-133
	config := testConfig
	config.InitialRebalanceDelay = 1_000_000
	d := drive(t, config)
	join := d.park(newcomer("a"))
	d.advance(299_999)
	d.waits(join)
	d.advance(1)
	r := d.answer(join)
	d.want(r, UnknownMemberID)
	d.must(r.MemberID == "", "got %+v", r)
	d.state(Empty, 1) // which ends the delay (G-074)
}

func TestMemberThatWaitsForUsDoesNotExpire(t *testing.T) { // G-131, G-132
	d := trio(t, Stable)
	join := d.park(joining("a", "a-1"))
	d.advance(10_000) // the others expire
	r := d.answer(join)
	d.want(r, None)
	d.must(len(r.Members) == 1 && d.g.leader.session.deadline == d.now+10_000, "got %+v", r)

	d = trio(t, CompletingRebalance)
	sync := d.park(syncing("b-1", 1))
	d.keepAlive("a-1", 30_000) // c expires, which takes b's sync with it, late
	d.want(d.answer(sync), RebalanceInProgress)
}

func TestLastMemberThatExpiresLeavesAnEmptyGroup(t *testing.T) { // G-135, G-084
	d := alone(t)
	d.hold = true
	d.advance(10_000)
	d.state(Empty, 2)
	d.must(len(d.records) == 1, "%d records", len(d.records))
	md := d.records[0].Metadata
	d.must(md.Generation == 2 && md.ProtocolType == "consumer" && md.Protocol == "" && md.Leader == "" && md.Timestamp == d.now &&
		len(md.Members) == 0, "record %+v", md)
	d.accept()
	d.must(d.g.ProtocolType() == "consumer", "the protocol type was forgotten") // G-007
}

func TestDeadlinesOfOneMomentFireInOrder(t *testing.T) { // the core's own order: kind, then who came first
	same := timeouts(60_000, 60_000)
	d := completing(t, testConfig, newcomer("a", same), newcomer("b", same))
	d.advance(60_000) // the wait for syncs ends, and both sessions
	for i, id := range []string{"a-1", "b-1"} {
		d.must(d.removals[i] == Removal{id, SyncExpired}, "removals %v", d.removals)
	}
	d.state(Empty, 2)
}

func TestTickStopsAtABatch(t *testing.T) {
	d := stable(t, testConfig, newcomer("a"))
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.hold = true
	d.tick() // the only member's session ends, and that of the id that has not joined
	d.must(d.g.state == Empty && d.g.batch == emptyBatch, "the group is not about to be stored as Empty")
	d.must(d.g.NextDeadline() == d.now, "the next deadline is in %d", d.g.NextDeadline()-d.now)
	d.accept()
	d.fire()
	d.must(d.g.NextDeadline() == Never, "the id is still waited for")
}
