package group

import "testing"

func TestGroupIsStoredWhenItsAssignmentOrItsMembersChangeForGood(t *testing.T) { // G-333
	d := drive(t, testConfig)
	d.keep = true
	stored := func(after string, want int) {
		t.Helper()
		got := 0
		for _, out := range d.history {
			for _, r := range out.Records {
				if r.Kind == MetadataRecord {
					got++
				}
			}
		}
		d.history = nil
		d.must(got == want, "after %s %d records were written, want %d", after, got, want)
	}
	d.send(newcomer("a"))
	stored("the creation", 1)
	d.send(newcomer("s", as("i")))
	d.advance(10_000)
	d.state(CompletingRebalance, 1)
	stored("the join phase", 0)
	d.assign()
	stored("the assignment", 1)
	d.send(again("s", "i"))
	stored("a replacement without a rebalance", 1)
	d.send(joining("a", "a-1"))
	d.state(PreparingRebalance, 1)
	stored("the start of a rebalance", 0)
	d.send(joining("s", "s-2", as("i")))
	d.state(CompletingRebalance, 2)
	stored("the next join phase", 0)
	d.assign()
	stored("the next assignment", 1)
	d.send(leaving("a-1", "s-2"))
	d.state(Empty, 3)
	stored("the departure of everybody", 1)
}
