package group

import (
	"fmt"
	"testing"
)

// underWay makes a group with a batch of each kind under way, and the request that waits for it, if one does.
var underWay = map[batch]func(t testing.TB) (*driver, Token){
	commitBatch: func(t testing.TB) (*driver, Token) {
		d := trio(t, Stable)
		d.hold = true
		return d, d.park(committing("b-1", 1))
	},
	simpleBatch: func(t testing.TB) (*driver, Token) {
		d := drive(t, testConfig)
		d.hold = true
		return d, d.park(committing("", -1))
	},
	assignmentBatch: func(t testing.TB) (*driver, Token) {
		d := trio(t, CompletingRebalance)
		d.hold = true
		return d, d.park(syncing("a-1", 1, assigning("a-1", "b-1")))
	},
	emptyBatch: func(t testing.TB) (*driver, Token) {
		d := trio(t, Stable)
		d.hold = true
		return d, d.park(leaving("a-1", "b-1", "c-1"))
	},
	creationBatch: func(t testing.TB) (*driver, Token) {
		d := drive(t, testConfig)
		d.hold = true
		return d, d.park(newcomer("a"))
	},
	replacementBatch: func(t testing.TB) (*driver, Token) {
		d := trio(t, Stable)
		d.hold = true
		return d, d.park(again("c", "i"))
	},
	changeBatch: func(t testing.TB) (*driver, Token) {
		d := trio(t, Stable)
		d.want(d.ask(committing("b-1", 1, inTransaction(1))), None)
		d.hold = true
		return d, d.park(ending(1, true))
	},
}

func TestRefusedRecords(t *testing.T) { // G-299
	tests := map[batch]struct {
		state      State
		generation int32
	}{
		commitBatch:      {Stable, 1},
		simpleBatch:      {Dead, 0},
		assignmentBatch:  {PreparingRebalance, 1}, // G-112
		emptyBatch:       {Empty, 2},              // G-084: only the log does not know
		creationBatch:    {Dead, 0},               // G-036
		replacementBatch: {Stable, 1},             // G-149
		changeBatch:      {Stable, 1},
	}
	for kind, test := range tests {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			d, token := underWay[kind](t)
			d.must(d.g.batch == kind, "batch %d is under way", d.g.batch)
			d.refuse(CoordinatorNotAvailable)
			r := d.answer(token)
			d.want(r, CoordinatorNotAvailable)
			d.must(r.MemberID == "", "got %+v", r)
			d.state(test.state, test.generation)
			d.must(len(d.open) == 0, "somebody still waits")
		})
	}
}

func TestUnloadWithRecordsUnderWay(t *testing.T) { // G-207, G-208
	for kind, begin := range underWay {
		d, token := begin(t)
		d.must(d.g.batch == kind, "batch %d is under way", d.g.batch)
		d.unload()
		r := d.answer(token)
		d.want(r, NotCoordinator)
		d.must(r.Errors == nil, "got %+v", r)
	}
}

func TestUnloadAnswersWhoIsParked(t *testing.T) { // G-207
	d := trio(t, Stable)
	join := d.park(joining("b", "b-1", listing("t2", "range")))
	d.unload()
	r := d.answer(join)
	d.want(r, NotCoordinator)
	d.must(r.MemberID == "b-1" && r.Generation == -1, "got %+v", r)

	d = trio(t, CompletingRebalance)
	sync := d.park(syncing("b-1", 1))
	d.unload()
	d.want(d.answer(sync), NotCoordinator)
	last := d.transitions[len(d.transitions)-1]
	d.must(last == Transition{From: CompletingRebalance, To: Dead, Reason: Reason{Cause: Unloaded}}, "told of %+v", last)

	d = drive(t, testConfig) // a group that does not exist has nothing to end
	d.unload()
	d.must(len(d.transitions) == 0, "told of %+v", d.transitions)
}

func TestUnloadedGroupCanBeLoadedAgain(t *testing.T) {
	d := trio(t, Stable)
	want := dumpDurable(d.g)
	d.unload()
	for i := range d.log {
		d.g.Apply(&d.log[i])
	}
	d.step(&Event{Kind: Load})
	d.must(dumpDurable(d.g) == want, "the group was\n%s", want)
}

func TestRefusedAssignmentIsForgotten(t *testing.T) { // G-112
	d := trio(t, Stable)
	for _, id := range []string{"a-1", "b-1", "c-1"} {
		d.send(joining(id[:1], id))
	}
	d.state(CompletingRebalance, 2)
	d.hold = true
	b := d.park(syncing("b-1", 2))
	a := d.park(syncing("a-1", 2, assigning("a-1", "b-1")))
	d.refuse(UnknownServerError) // as for a record that is too large
	for _, token := range []Token{a, b} {
		r := d.answer(token)
		d.want(r, UnknownServerError)
	}
	d.want(d.ask(syncing("c-1", 2)), RebalanceInProgress)
	for _, m := range d.g.Describe().Members {
		d.must(m.Assignment == nil, "%s has %q", m.ID, m.Assignment)
	}
	d.hold = false
	d.rejoin()
	d.state(Stable, 3)
}

// rejoin lets every member of a PreparingRebalance join again with what it had, and sync.
func (d *driver) rejoin() {
	d.t.Helper()
	var joins []Event
	for m := range d.g.members.all {
		joins = append(joins, Event{
			Kind: Join, MemberID: m.id, InstanceID: m.instanceID, ProtocolType: d.g.protocolType, Protocols: m.protocols,
			SessionTimeout: m.sessionTimeout, RebalanceTimeout: m.rebalanceTimeout,
		})
	}
	for _, ev := range joins {
		d.send(ev)
	}
	d.assign()
}

func TestGroupThatCouldNotBeCreatedForgetsItsPendingIDs(t *testing.T) { // G-036
	d := drive(t, testConfig)
	d.hold = true
	d.want(d.ask(joining("a", "")), MemberIDRequired)
	d.refuse(CoordinatorNotAvailable)
	d.state(Dead, 0)
	d.want(d.ask(joining("a", "a-1")), UnknownMemberID)
}

func TestNothingElseIsSteppedWhileRecordsAreUnderWay(t *testing.T) {
	events := []Event{joining("a", ""), syncing("a-1", 1), beating("a-1", 1), leaving("a-1"), committing("a-1", 1), ending(1, true), deleting("t1"), {Kind: DeleteGroup}, {Kind: Expire}, {Kind: Tick}, {Kind: Load}}
	for kind, begin := range underWay {
		for _, ev := range events {
			d, _ := begin(t)
			if d.g.Gathers(&ev) {
				continue
			}
			ev.Token, ev.NewMemberID = 999, "n-1"
			func() {
				defer func() {
					d.must(recover() != nil, "%s was accepted during batch %d", ev.Kind, kind)
				}()
				d.g.Step(d.now, &ev, &d.out)
			}()
		}
	}
}
