package group

import "testing"

func withMaxSize(n int) Config {
	config := testConfig
	config.MaxSize = n
	return config
}

func TestFullGroupRefusesNewcomers(t *testing.T) { // G-040, G-041
	for _, state := range []State{CompletingRebalance, Stable} {
		t.Run(state.String(), func(t *testing.T) {
			make := completing
			if state == Stable {
				make = stable
			}
			d := make(t, withMaxSize(2), newcomer("a"), newcomer("b", as("i")))
			tests := map[string]Event{
				"a newcomer":                         joining("c", ""),
				"an unknown id (G-048)":              joining("c", "c-9"),
				"a newcomer that no protocol fits":   joining("c", "", ofType("connect")),
				"a static member's next incarnation": newcomer("b", as("i")),
			}
			for name, ev := range tests {
				r := d.ask(ev)
				d.must(r.Error == GroupMaxSizeReached && r.MemberID == "" && r.Generation == -1, "%s is answered %+v", name, r)
			}
			d.state(state, 1)
			d.want(d.ask(joining("b", "b-1")), None)
		})
	}
}

func TestPendingIDsDoNotCount(t *testing.T) { // G-044
	d := stable(t, withMaxSize(2), newcomer("a"))
	d.want(d.ask(joining("b", "")), MemberIDRequired)
	d.want(d.ask(joining("c", "")), MemberIDRequired)
	d.send(joining("a", "a-1"))
	d.send(joining("b", "b-1"))
	r := d.ask(joining("c", "c-1")) // its id is dropped as well
	d.want(r, GroupMaxSizeReached)
	d.want(d.ask(joining("c", "c-1")), GroupMaxSizeReached)
	d.must(len(d.g.pending) == 0, "still pending")
}

func TestRefusalInAFullJoinPhaseDoesNotCompleteIt(t *testing.T) { // G-041, G-078: as Kafka 4.4.0
	d := stable(t, testConfig, newcomer("a"), newcomer("b"), newcomer("c"))
	config := withMaxSize(2)
	d.g.config = &config
	a := d.park(joining("a", "a-1"))
	b := d.park(joining("b", "b-1"))
	r := d.ask(joining("c", "c-1"))
	d.want(r, GroupMaxSizeReached)
	d.want(d.ask(beating("c-1", 1)), UnknownMemberID)
	d.waits(a)
	d.waits(b)
	again := d.send(joining("b", "b-1")) // who waits already has a place, and a join does look
	d.must(d.answer(b).Superseded, "answered")
	d.want(d.answer(again), None)
	d.want(d.answer(a), None)
}

func TestFullJoinPhaseAdmitsAStaticReplacement(t *testing.T) {
	d := stable(t, withMaxSize(2), newcomer("a"), newcomer("b", as("i")))
	d.park(joining("a", "a-1"))
	d.want(d.answer(d.send(newcomer("b", as("i")))), None)
	d.state(CompletingRebalance, 2)
}

func TestGroupThatIsLoadedTooLargeRebalances(t *testing.T) { // G-043, G-042
	d := stable(t, testConfig, newcomer("a"), newcomer("b"), newcomer("c"))
	d.reload(withMaxSize(2))
	d.state(PreparingRebalance, 1)
	b := d.park(joining("b", "b-1"))
	c := d.park(joining("c", "c-1"))
	d.want(d.ask(joining("a", "a-1")), GroupMaxSizeReached) // the last to rejoin goes, though it led
	d.advance(60_000)
	d.must(d.answer(b).LeaderID == "b-1", "b does not lead")
	d.want(d.answer(c), None)
}
