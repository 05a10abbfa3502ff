package group

import (
	"slices"
	"testing"
)

func TestJoinPhaseIsABarrier(t *testing.T) { // G-067, G-068, G-085
	d := trio(t, Stable)
	a := d.park(joining("a", "a-1"))
	b := d.park(joining("b", "b-1"))
	c := d.send(joining("c", "c-1", as("i")))
	d.state(CompletingRebalance, 2)
	for token, id := range map[Token]string{a: "a-1", b: "b-1", c: "c-1"} {
		r := d.answer(token)
		d.want(r, None)
		d.must(r.MemberID == id && r.Generation == 2 && r.LeaderID == "a-1" && r.ProtocolName == "range", "got %+v", r)
		if id != "a-1" {
			d.must(r.Members == nil, "a follower is told the members: %+v", r)
			continue
		}
		var ids []string // G-095: in join order
		for _, m := range r.Members {
			ids = append(ids, m.ID)
		}
		d.must(slices.Equal(ids, []string{"a-1", "b-1", "c-1"}) && *r.Members[2].InstanceID == "i", "members %+v", r.Members)
	}
}

func TestAssignmentsLastUntilTheNextOnesAreAwaited(t *testing.T) { // G-067, G-175
	has := func(d *driver, want bool) {
		d.t.Helper()
		for _, m := range d.g.Describe().Members {
			d.must((m.Assignment != nil) == want, "%s has %q", m.ID, m.Assignment)
		}
	}
	d := stable(t, testConfig, newcomer("a"), newcomer("b"))
	d.park(joining("a", "a-1"))
	has(d, true)
	d.send(joining("b", "b-1"))
	d.state(CompletingRebalance, 2)
	has(d, true)
	d.park(joining("b", "b-1", listing("t2", "range"))) // which takes them back
	has(d, false)
}

func TestJoinTimerEvictsWhoDidNotRejoin(t *testing.T) { // G-079, G-088
	d := stable(t, testConfig, newcomer("a"), newcomer("b"))
	join := d.park(joining("a", "a-1"))
	for range 12 { // b heartbeats, and does not rejoin
		d.advance(4999)
		d.want(d.ask(beating("b-1", 1)), RebalanceInProgress)
	}
	d.waits(join)
	d.advance(12)
	r := d.answer(join)
	d.must(len(r.Members) == 1 && r.Generation == 2, "got %+v", r)
	d.want(d.ask(beating("b-1", 1)), UnknownMemberID)
	d.must(d.removals[0] == Removal{"b-1", JoinExpired}, "removals %v", d.removals)
}

func TestJoinTimerIsNotProlonged(t *testing.T) { // G-089
	d := stable(t, testConfig, newcomer("a"), newcomer("b"))
	d.park(joining("a", "a-1"))
	start := d.now
	d.advance(1000)
	d.park(newcomer("c", timeouts(10_000, 600_000)))
	d.must(d.g.join.deadline == start+60_000, "the deadline moved by %d", d.g.join.deadline-start-60_000)
}

func TestRebalanceTimeoutIsTheLargest(t *testing.T) { // G-014, G-027
	d := stable(t, testConfig, newcomer("a", timeouts(10_000, 20_000)), newcomer("b", timeouts(10_000, 90_000)),
		newcomer("c", timeouts(10_000, -5)))
	d.park(joining("a", "a-1", timeouts(10_000, 30_000)))
	d.must(d.g.join.deadline == d.now+90_000, "the join phase ends in %d", d.g.join.deadline-d.now)
}

func TestLeaderThatDoesNotRejoinIsReplaced(t *testing.T) { // G-080: by the oldest member that has
	d := stable(t, testConfig, newcomer("a"), newcomer("b"), newcomer("c"))
	c := d.park(joining("c", "c-1", listing("t2", "range")))
	b := d.park(joining("b", "b-1"))
	d.keepAlive("a-1", 60_000)
	d.must(d.answer(b).LeaderID == "b-1" && d.answer(c).LeaderID == "b-1", "another leads")
}

func TestLeaderThatRejoinsStaysLeader(t *testing.T) { // G-080, though an older member has joined too
	long := timeouts(200_000, 60_000)
	d := stable(t, testConfig, newcomer("s", as("i"), long), newcomer("b", long))
	d.park(joining("b", "b-1", long, listing("t2", "range")))
	d.advance(60_000) // s is away: b leads
	d.assign()
	s := d.park(joining("s", "s-1", long, listing("t2", "range")))
	b := d.send(joining("b", "b-1", long))
	d.must(d.answer(b).LeaderID == "b-1" && d.answer(s).LeaderID == "b-1", "another leads")
}

// keepAlive lets time pass in which a member heartbeats.
func (d *driver) keepAlive(id string, time Millis) {
	d.t.Helper()
	for ; time > 5000; time -= 5000 {
		d.advance(5000)
		d.send(beating(id, d.g.generation))
	}
	d.advance(time)
}

func TestAbsentStaticMemberTakesPart(t *testing.T) { // G-079, G-087
	long := timeouts(200_000, 60_000)
	d := stable(t, testConfig, newcomer("a", long), newcomer("b", long, as("i")))
	join := d.park(joining("a", "a-1", long))
	d.advance(60_000)
	r := d.answer(join)
	d.must(len(r.Members) == 2 && r.Members[1].ID == "b-1" && string(r.Members[1].Metadata) == "t1", "members %+v", r.Members)
	d.must(d.g.members.byID["b-1"].toSync, "its sync is not awaited")
}

func TestJoinPhaseWaitsWhileAllMembersAreStaticAndAbsent(t *testing.T) { // G-081
	long := timeouts(200_000, 60_000)
	d := stable(t, testConfig, newcomer("a"), newcomer("b", long, as("i")))
	d.want(d.ask(leaving("a-1")), None)
	d.advance(100_000)
	d.state(PreparingRebalance, 1)
	d.must(d.g.join.deadline == d.now+20_000, "the join timer ends in %d", d.g.join.deadline-d.now)
	join := d.park(newcomer("c", long)) // waits for the static member until the timer
	d.advance(20_000)
	d.must(d.answer(join).LeaderID == "c-1", "c does not lead")
	d.state(CompletingRebalance, 2)
}

func TestJoinPhaseOfAbsentStaticMembersEndsWithoutARebalanceTimeout(t *testing.T) { // G-081, G-027
	for _, rebalance := range []Millis{0, -1} {
		d := stable(t, testConfig, newcomer("a"), newcomer("b", as("i")))
		d.park(joining("b", "b-1", timeouts(10_000, rebalance), listing("t2", "range")))
		d.send(joining("a", "a-1"))
		d.assign()
		d.ask(leaving("a-1"))
		d.state(PreparingRebalance, 2) // b is to rejoin, at once
		ticks := 0
		for d.g.state == PreparingRebalance {
			d.tick()
			ticks++
		}
		d.state(Empty, 3) // its session is over
		d.must(ticks <= 101, "%d ticks", ticks)
	}
}

func TestPendingIDHoldsUpTheJoinPhase(t *testing.T) {
	tests := []struct {
		until   string
		session Millis
		end     func(d *driver)
	}{
		{"it joins (G-054)", 10_000, func(d *driver) { d.send(joining("p", "p-1")) }},
		{"it leaves (G-161)", 10_000, func(d *driver) { d.want(d.ask(leaving("p-1")), None) }},
		{"it expires (G-053)", 10_000, func(d *driver) { d.advance(10_000) }},
		{"the join timer fires, and stays pending (G-077)", 90_000, func(d *driver) { d.advance(60_000) }},
	}
	for _, test := range tests {
		t.Run("until "+test.until, func(t *testing.T) {
			d := stable(t, testConfig, newcomer("a"))
			d.want(d.ask(joining("p", "", timeouts(test.session, 60_000))), MemberIDRequired)
			join := d.park(joining("a", "a-1"))
			test.end(d)
			r := d.answer(join)
			d.want(r, None)
			d.must(r.Generation == 2, "got %+v", r)
		})
	}
}

func TestIDThatStayedPendingStartsARebalance(t *testing.T) { // G-077
	d := stable(t, testConfig, newcomer("a"))
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.state(Stable, 1)
	d.park(joining("p", "p-1"))
	d.state(PreparingRebalance, 1)
}
