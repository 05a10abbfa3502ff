package group

import "testing"

// trio is a group of a-1, which leads, b-1 and the static c-1.
func trio(t testing.TB, state State) *driver {
	newcomers := []Event{newcomer("a"), newcomer("b"), newcomer("c", as("i"))}
	if state == CompletingRebalance {
		return completing(t, testConfig, newcomers...)
	}
	d := stable(t, testConfig, newcomers...)
	if state == PreparingRebalance {
		d.park(joining("a", "a-1"))
		clear(d.answers)
	}
	d.must(d.g.state == state, "not %s", state)
	return d
}

func TestRejoinByStateAndRole(t *testing.T) {
	changed := listing("t2", "range")
	tests := []struct {
		name  string
		state State
		join  Event
		after State // parked if it is PreparingRebalance, and else answered at once
	}{
		{"rebalance under way (G-059)", PreparingRebalance, joining("b", "b-1"), PreparingRebalance},
		{"leader that knows already (G-060)", CompletingRebalance, joining("a", "a-1"), CompletingRebalance},
		{"follower that knows already (G-060)", CompletingRebalance, joining("b", "b-1"), CompletingRebalance},
		{"changed metadata before the assignment (G-061)", CompletingRebalance, joining("b", "b-1", changed), PreparingRebalance},
		{"leader (G-062)", Stable, joining("a", "a-1"), PreparingRebalance},
		{"leader with changed metadata", Stable, joining("a", "a-1", changed), PreparingRebalance},
		{"follower with changed metadata (G-063)", Stable, joining("b", "b-1", changed), PreparingRebalance},
		{"follower with one more protocol (G-016)", Stable, joining("b", "b-1", listing("t1", "range", "sticky")), PreparingRebalance},
		{"follower (G-064)", Stable, joining("b", "b-1"), Stable},
		{"follower with other time-outs (G-064)", Stable, joining("b", "b-1", timeouts(20_000, 1)), Stable},
		{"static follower with its id (G-155)", Stable, joining("c", "c-1", as("i")), Stable},
		{"static follower without its instance id (G-139)", Stable, joining("c", "c-1"), Stable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := trio(t, test.state)
			token := d.send(test.join)
			d.state(test.after, 1)
			if test.after == PreparingRebalance {
				d.waits(token)
				return
			}
			r := d.answer(token)
			d.want(r, None)
			d.must(r.Generation == 1 && r.LeaderID == "a-1" && r.MemberID == test.join.MemberID && !r.Skip &&
				r.ProtocolType == "consumer" && r.ProtocolName == "range", "got %+v", r)
			leads := r.MemberID == r.LeaderID
			d.must(leads == (len(r.Members) == 3), "%d members", len(r.Members))
			d.must(d.g.members.byID["b-1"].sessionTimeout == 10_000, "time-outs were taken over")
		})
	}
}

func TestReorderedProtocolsAreChanged(t *testing.T) { // G-016
	two := listing("t1", "range", "sticky")
	d := stable(t, testConfig, newcomer("a", two), newcomer("b", two))
	d.want(d.ask(joining("b", "b-1", two)), None)
	d.park(joining("b", "b-1", listing("t1", "sticky", "range")))
	d.state(PreparingRebalance, 1)
}

func TestRejoinTakesOverProtocolsAndTimeoutsOnly(t *testing.T) { // G-013
	d := trio(t, PreparingRebalance)
	ev := joining("b", "b-1", listing("t2", "range"), timeouts(20_000, 90_000))
	ev.ClientID, ev.ClientHost = "other", "/10.0.0.2"
	d.park(ev)
	m := d.g.members.byID["b-1"]
	d.must(m.sessionTimeout == 20_000 && m.rebalanceTimeout == 90_000 && string(m.protocols[0].Metadata) == "t2", "not taken over: %+v", m)
	d.must(m.clientID == "b" && m.clientHost == "/10.0.0.1", "taken over: %+v", m)
}

func TestRebalanceAnswersParkedSyncs(t *testing.T) { // G-061, G-067
	d := trio(t, CompletingRebalance)
	sync := d.park(syncing("b-1", 1))
	d.park(joining("c", "c-1", listing("t2", "range")))
	d.want(d.answer(sync), RebalanceInProgress)
	d.must(!d.g.sync.set() && d.g.toSync == 0, "syncs are still awaited")
}

func TestMemberThatRejoinsAfterALoadHasChanged(t *testing.T) { // G-066
	two := listing("t1", "range", "sticky")
	d := stable(t, testConfig, newcomer("a", two), newcomer("b", two))
	d.reload(testConfig)
	d.state(Stable, 1)
	d.park(joining("b", "b-1", two))
	d.state(PreparingRebalance, 1)

	d.reload(testConfig)
	d.want(d.ask(joining("b", "b-1")), None) // it had listed only the selected protocol
}
