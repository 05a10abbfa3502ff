package group

import "testing"

// sweep steps an Expire.
func (d *driver) sweep() {
	d.t.Helper()
	d.send(Event{Kind: Expire})
}

func TestOffsetsExpire(t *testing.T) { // G-317 to G-320; the retention is 100 s
	commit := func(options ...option) func(d *driver, id string) {
		return func(d *driver, id string) {
			generation := d.g.generation
			if id == "" {
				generation = -1
			}
			d.want(d.ask(committing(id, generation, options...)), None)
		}
	}
	retention := func(ms int64) option { return func(ev *Event) { ev.Offsets[0].Retention = ms } }
	tests := []struct {
		name   string
		stand  func(t testing.TB) *driver
		member string
		commit func(d *driver, id string)
		after  Millis // the commit, that it is still there; a millisecond later it is gone. -1: it stays
	}{
		{"of a simple group: by their age", dry, "", commit(), 99_999},
		{"with a retention of their own", dry, "", commit(retention(500)), 499},
		{"with a longer retention of their own", dry, "", commit(retention(500_000)), 499_999},
		{"of a Stable group that does not subscribe to the topic", subscribedTo("t2"), "a-1", commit(), 99_999},
		{"of a Stable group that does", subscribedTo("t1"), "a-1", commit(), -1},
		{"of a Stable group that does, whatever their own retention (G-320)", subscribedTo("t1"), "a-1", commit(retention(500)), -1},
		{"of a Stable group that subscribes to who knows what", subscribedTo(""), "a-1", commit(), -1},
		{"of a Stable group of another type", ofConnect, "a-1", commit(retention(500)), -1},
		{"of a group that rebalances", rebalancing, "a-1", commit(retention(500)), -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := test.stand(t)
			test.commit(d, test.member)
			wait := test.after
			if wait < 0 {
				wait = 1_000_000
			}
			d.now += Time(wait) // nobody is ticked: sessions are not what this is about
			d.sweep()
			d.must(d.g.HasOffsets("t1"), "expired early")
			d.now++
			d.sweep()
			d.must(d.g.HasOffsets("t1") == (test.after < 0), "there: %v", d.g.HasOffsets("t1"))
		})
	}
}

func dry(t testing.TB) *driver { return drive(t, reading) }

func subscribedTo(topic string) func(t testing.TB) *driver {
	return func(t testing.TB) *driver { return stable(t, reading, newcomer("a", listing(topic, "range"))) }
}

func ofConnect(t testing.TB) *driver {
	return stable(t, reading, newcomer("a", ofType("connect"), listing("t2", "range")))
}

func rebalancing(t testing.TB) *driver {
	d := stable(t, reading, newcomer("a", listing("t2", "range")))
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.park(joining("a", "a-1", listing("t2", "range")))
	return d
}

func TestOffsetsOfAnEmptyGroupExpireByTheTimeItIsEmpty(t *testing.T) { // G-317, G-323
	for _, reloaded := range []bool{false, true} {
		d := emptied(t, reading)
		empty := d.now
		d.now += 50_000
		d.want(d.ask(committing("", -1, of("t3", 0, 7))), None) // its own age does not count
		if reloaded {
			d.reload(reading)
		}
		d.now = empty + 99_999
		d.sweep()
		d.must(d.g.HasOffsets("t1"), "expired early")
		d.now++
		d.sweep()
		d.state(Dead, 0) // and the group with them (G-194)
		d.must(len(d.log) == 0, "left: %+v", d.log)
	}
}

func TestOffsetsOfAGroupThatBecameEmptyWhoKnowsWhenExpireByTheirAge(t *testing.T) { // G-317
	d := loaded(t, reading, generation(Metadata{ProtocolType: "consumer", Generation: 1, Timestamp: -1}))
	d.want(d.ask(committing("", -1)), None)
	d.now += 99_999
	d.sweep()
	d.must(d.g.HasOffsets("t1"), "expired early")
	d.now++
	d.sweep()
	d.state(Dead, 0)
}

func TestOpenTransactionKeepsOffsetsAndGroup(t *testing.T) { // G-194, G-318
	d := emptied(t, reading)
	d.want(d.ask(committing("", -1, of("t1", 0, 9), inTransaction(1))), None)
	d.now += 1_000_000
	d.sweep()
	d.must(d.g.HasOffsets("t1") && !d.g.HasOffsets("t2"), "the wrong ones are left")
	d.state(Empty, 2)
	d.want(d.ask(ending(1, false)), None)
	d.sweep()
	d.state(Dead, 0)
}

func TestOpenTransactionKeepsAGroupThatHasNothingElse(t *testing.T) { // G-194
	d := drive(t, reading)
	d.want(d.ask(committing("", -1, inTransaction(1))), None)
	d.now += 1_000_000
	d.sweep()
	d.state(Empty, 0)
	d.want(d.ask(ending(1, false)), None)
	d.sweep()
	d.state(Dead, 0)
}

func TestGroupWithoutOffsetsGoesWithTheNextSweep(t *testing.T) { // G-195, G-196
	d := drive(t, reading)
	d.sweep()
	d.state(Dead, 0)
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.sweep() // a pending id does not keep it
	d.state(Dead, 0)
	d.want(d.ask(joining("p", "p-1")), UnknownMemberID)

	d = stable(t, reading, newcomer("a")) // members do
	d.sweep()
	d.state(Stable, 1)
}

func TestSweepThatTheStoreRefusesChangesNothing(t *testing.T) {
	d := emptied(t, reading)
	d.now += 1_000_000
	before := dump(d.g, d.now)
	d.hold = true
	d.sweep()
	d.refuse(CoordinatorNotAvailable)
	d.must(dump(d.g, d.now) == before, "the group was\n%s", before)
}

func TestTransactionWithoutOffsetsKeepsNoGroup(t *testing.T) { // G-294: where joinsync differs
	d := drive(t, reading)
	d.want(d.ask(committing("", -1, inTransaction(1))), None)
	d.want(d.ask(deleting("t1")), None)
	d.sweep()
	d.state(Dead, 0)
	d.want(d.ask(ending(1, true)), None)
	d.state(Dead, 0)
}

func TestEveryCommitStartsTheAgeAnew(t *testing.T) { // G-322
	d := dry(t)
	d.want(d.ask(committing("", -1)), None)
	d.now += 99_999
	d.want(d.ask(committing("", -1)), None)
	d.now += 99_999
	d.sweep()
	d.must(d.g.HasOffsets("t1"), "expired early")
}

func TestSweptGroupHasATombstoneWhateverItWas(t *testing.T) { // G-197
	for name, d := range map[string]*driver{"simple": dry(t), "of members once": emptied(t, reading)} {
		d.want(d.ask(committing("", -1)), None)
		d.now += 1_000_000
		d.hold = true
		d.sweep()
		last := d.records[len(d.records)-1]
		d.must(last.Kind == MetadataTombstone, "%s: the last record is %+v", name, last)
		d.accept()
		d.state(Dead, 0)
	}
}
