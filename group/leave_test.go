package group

import (
	"slices"
	"testing"
)

func TestBatchOfLeavesStartsOneRebalance(t *testing.T) { // G-164
	d := trio(t, Stable)
	d.transitions = nil
	r := d.ask(leaving("b-1", "z-9", "c-1", "b-1"))
	d.must(slices.Equal(r.Errors, []Error{None, UnknownMemberID, None, UnknownMemberID}), "got %v", r.Errors)
	d.state(PreparingRebalance, 1)
	d.must(len(d.transitions) == 1 && d.transitions[0].Members == 1, "transitions %+v", d.transitions)
}

func TestBatchOfLeavesIsOverBeforeTheJoinPhaseIsLookedAt(t *testing.T) {
	// Kafka 4.4.0; 3.9.2 answers the first that is left with a generation before the next one goes.
	d := trio(t, Stable)
	a := d.park(joining("a", "a-1"))
	b := d.park(joining("b", "b-1"))
	d.want(d.ask(leaving("c-1", "b-1")), None)
	d.want(d.answer(b), UnknownMemberID) // G-163
	r := d.answer(a)
	d.must(len(r.Members) == 1 && r.Generation == 2, "got %+v", r)
}

func TestLeaveOfTheLastMemberWaitsForTheRecord(t *testing.T) { // G-165
	d := trio(t, Stable)
	d.hold = true
	leave := d.park(leaving("a-1", "b-1", "z-9", "c-1"))
	d.state(Empty, 2)
	d.accept()
	r := d.answer(leave)
	d.must(slices.Equal(r.Errors, []Error{None, None, UnknownMemberID, None}), "got %v", r.Errors)
}

func TestLeaveOfAPendingIDRebalancesAStableGroup(t *testing.T) { // G-161, G-164: as Kafka 4.4.0
	d := alone(t)
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.want(d.ask(leaving("p-1")), None)
	d.state(PreparingRebalance, 1)
}

func TestLeaveOfAPendingIDInAnEmptyGroup(t *testing.T) {
	d := drive(t, testConfig)
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	r := d.ask(leaving("p-1"))
	d.must(slices.Equal(r.Errors, []Error{None}), "got %v", r.Errors)
	d.state(Empty, 0)
	d.must(d.g.NextDeadline() == Never, "its timer is still there")
}

func TestLeaveOfNobody(t *testing.T) { // G-167
	d := alone(t)
	r := d.ask(leaving())
	d.want(r, None)
	d.must(r.Errors != nil && len(r.Errors) == 0, "got %+v", r)
	d.state(Stable, 1)
}

func TestLeaveWithAParkedSync(t *testing.T) { // G-117: Kafka never answers that sync
	d := trio(t, CompletingRebalance)
	sync := d.park(syncing("b-1", 1))
	d.want(d.ask(leaving("b-1")), None)
	d.must(d.answer(sync).Superseded, "the sync was answered")
	d.state(PreparingRebalance, 1)
}

func TestLeaderThatLeavesIsReplacedByTheOldest(t *testing.T) { // G-012
	d := trio(t, Stable)
	d.want(d.ask(leaving("a-1")), None)
	d.must(d.g.Describe().LeaderID == "b-1", "%s leads", d.g.Describe().LeaderID)
}
