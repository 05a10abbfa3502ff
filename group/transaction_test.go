package group

import "testing"

// transacting is a Stable group of a-1, with 5 committed for t1-0.
func transacting(t testing.TB) *driver {
	d := alone(t)
	d.want(d.ask(committing("a-1", 1, of("t1", 0, 5))), None)
	return d
}

// committed asserts what is committed for t1-0; below zero is nothing.
func (d *driver) committed(want int64) {
	d.t.Helper()
	o, ok := d.g.Offset("t1", 0)
	if !ok {
		o.Offset = -1
	}
	d.must(o.Offset == want, "%d is committed, want %d", o.Offset, want)
}

func TestOffsetsOfATransactionWaitForItsEnd(t *testing.T) { // G-272, G-275, G-288, G-290 to G-292
	for committed, want := range map[bool]int64{true: 7, false: 5} {
		d := transacting(t)
		d.want(d.ask(committing("a-1", 1, of("t1", 0, 7), inTransaction(1))), None)
		d.committed(5)
		d.must(d.g.Unstable("t1", 0) && !d.g.Unstable("t1", 1) && d.g.InTransaction(1) && !d.g.InTransaction(2), "unstable is what should not be")
		d.reload(testConfig)
		d.committed(5)
		d.want(d.ask(ending(2, true)), None) // somebody else's (G-293)
		d.must(d.g.Unstable("t1", 0), "another producer's end ended it")
		d.want(d.ask(ending(1, committed)), None)
		d.committed(want)
		d.must(!d.g.Unstable("t1", 0) && !d.g.InTransaction(1), "still unstable")
		d.want(d.ask(ending(1, !committed)), None)
		d.committed(want)
	}
}

func TestCommitAfterATransactionalOneWins(t *testing.T) { // G-291
	for _, reloaded := range []bool{false, true} {
		d := transacting(t)
		d.want(d.ask(committing("a-1", 1, of("t1", 0, 7), inTransaction(1))), None)
		d.want(d.ask(committing("a-1", 1, of("t1", 0, 6))), None)
		if reloaded {
			d.reload(testConfig)
		}
		d.want(d.ask(ending(1, true)), None)
		d.committed(6)
	}
}

func TestTransactionsOfOnePartitionAreSettledOneByOne(t *testing.T) { // G-295
	d := transacting(t)
	d.want(d.ask(committing("a-1", 1, of("t1", 0, 7), inTransaction(1))), None)
	d.want(d.ask(committing("a-1", 1, of("t1", 0, 8), inTransaction(2))), None)
	d.want(d.ask(ending(2, false)), None)
	d.must(d.g.Unstable("t1", 0), "both were ended")
	d.want(d.ask(ending(1, true)), None)
	d.committed(7)
}

// The order in which offsets were committed decides, not that in which their transactions end.
func TestLaterOffsetOfTwoTransactionsWins(t *testing.T) { // G-291, G-295
	for _, order := range [][]int64{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {2, 1, 3}} {
		for _, reloaded := range []bool{false, true} {
			d := transacting(t)
			for producer := range int64(3) {
				d.want(d.ask(committing("a-1", 1, of("t1", 0, 6+producer), inTransaction(1+producer))), None)
			}
			var latest int64
			for _, producer := range order {
				d.want(d.ask(ending(producer, true)), None)
				if reloaded {
					d.reload(testConfig)
				}
				latest = max(latest, 5+producer)
				d.committed(latest)
			}
		}
	}
}

func TestEndOfATransactionWaitsForTheStore(t *testing.T) {
	d := transacting(t)
	d.want(d.ask(committing("a-1", 1, of("t1", 0, 7), inTransaction(1))), None)
	d.hold = true
	end := d.park(ending(1, true))
	d.committed(5)
	d.refuse(CoordinatorNotAvailable)
	d.want(d.answer(end), CoordinatorNotAvailable)
	d.must(d.g.Unstable("t1", 0), "it was ended all the same")
}

func TestTransactionalCommitOfWhom(t *testing.T) { // G-229, G-283, G-284
	eachCell(t, Commit, func(d *driver, state State, identity string, ev Event) {
		ev.Offsets = committing("", 0).Offsets
		inTransaction(1)(&ev)
		want := wantByIdentity(identity, None) // in CompletingRebalance, too
		switch {
		case identity == "anon":
			want = None
		case state == Dead && ev.Generation >= 0:
			want = GroupIDNotFound
		case state == Empty && ev.Generation >= 0:
			want = UnknownMemberID
		case state == Dead || state == Empty:
			want = None
		}
		d.want(d.ask(ev), want)
		d.must(d.g.Unstable("t1", 0) == (want == None), "stored: %v", d.g.Unstable("t1", 0))
	})
}

func TestTransactionalCommitDoesNotKeepASession(t *testing.T) { // G-286
	d := transacting(t)
	deadline := d.g.leader.session.deadline
	d.advance(1000)
	ev := committing("a-1", 1, inTransaction(1))
	ev.Offsets[0].Retention = 1000 // nor has it a retention of its own (G-287)
	d.want(d.ask(ev), None)
	d.must(d.g.leader.session.deadline == deadline, "the session begins again")
	d.want(d.ask(ending(1, true)), None)
	o, _ := d.g.Offset("t1", 0)
	d.must(o.ExpireTimestamp == -1, "expires at %d", o.ExpireTimestamp)
}

func TestOffsetTombstoneEndsWhatTransactionsWouldCommit(t *testing.T) { // G-294: a log of Kafka's has no other record of it
	g := New("g", &testConfig)
	g.Apply(&Record{Kind: PendingOffsetRecord, ProducerID: 1, Topic: "t1", Offset: Offset{Offset: 7}})
	g.Apply(&Record{Kind: OffsetTombstone, Topic: "t1"})
	if g.Unstable("t1", 0) || len(g.settle(1, true)) > 0 {
		t.Error("it is still to be committed")
	}
}
