package group

import "testing"

func TestInitialDelayGrowsWhileMembersJoin(t *testing.T) { // G-069 to G-071
	tests := []struct {
		name      string
		rebalance Millis   // R; the delay D is 3000
		joins     []Millis // when others join
		want      Millis
	}{
		{"nobody else joins", 7000, nil, 3000},
		{"a join in every step: 3000, 6000, 7000", 7000, []Millis{1000, 4000, 6500}, 7000},
		{"a join in the first step only", 7000, []Millis{2999}, 6000},
		{"a rebalance time-out below the delay", 1000, []Millis{500}, 3000},
		{"a join in every step of a long time-out", 60_000, []Millis{1, 3001, 6001}, 12_000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := drive(t, testConfig)
			start := d.now
			d.park(newcomer("a", timeouts(10_000, test.rebalance)))
			for _, at := range test.joins {
				d.advance(Millis(start + Time(at) - d.now))
				d.park(newcomer("b", timeouts(10_000, test.rebalance)))
			}
			d.advance(Millis(start + Time(test.want) - 1 - d.now))
			d.state(PreparingRebalance, 0)
			d.advance(1)
			d.state(CompletingRebalance, 1)
		})
	}
}

func TestInitialDelayIsNotCutShortByJoins(t *testing.T) { // G-073, G-078
	d := drive(t, testConfig)
	d.ask(joining("b", ""))
	d.park(newcomer("a"))
	d.park(joining("b", "b-1")) // now everybody has joined
	d.state(PreparingRebalance, 0)
}

func TestInitialDelayIsCutShortByAnExpiry(t *testing.T) { // G-074
	config := testConfig
	config.InitialRebalanceDelay = 60_000
	d := drive(t, config)
	d.ask(joining("b", "", timeouts(6000, 60_000)))
	join := d.park(newcomer("a"))
	d.advance(6000) // the pending id of b expires; all that are left have joined
	d.want(d.answer(join), None)
	d.state(CompletingRebalance, 1)
}

func TestInitialDelayOfAGroupThatEverybodyLeft(t *testing.T) { // G-078, G-082
	d := drive(t, testConfig)
	join := d.park(newcomer("a"))
	d.want(d.ask(leaving("a-1")), None)
	r := d.answer(join)
	d.want(r, UnknownMemberID)
	d.must(r.MemberID == "", "got %+v", r) // G-163
	d.state(PreparingRebalance, 0)
	d.advance(testConfig.InitialRebalanceDelay)
	d.state(Empty, 1)

	d = drive(t, testConfig) // or somebody of the same type comes before it is over
	d.park(newcomer("a"))
	d.ask(leaving("a-1"))
	d.want(d.ask(newcomer("b", ofType("connect"))), InconsistentGroupProtocol)
	join = d.park(newcomer("b", listing("", "roundrobin")))
	d.advance(testConfig.InitialRebalanceDelay)
	d.waits(join) // b is a new member, which prolongs the delay once
	d.advance(testConfig.InitialRebalanceDelay)
	d.must(d.answer(join).LeaderID == "b-2", "b does not lead")
}

func TestInitialDelayOfNothingStillWaitsForATick(t *testing.T) { // G-072
	config := testConfig
	config.InitialRebalanceDelay = 0
	d := drive(t, config)
	join := d.park(newcomer("a"))
	d.must(d.g.NextDeadline() == d.now, "deadline %d", d.g.NextDeadline())
	d.advance(0)
	d.want(d.answer(join), None)
}

func TestInitialDelayAppliesWheneverTheGroupWasEmpty(t *testing.T) { // G-076
	d := alone(t)
	d.ask(leaving("a-1"))
	d.state(Empty, 2)
	d.park(newcomer("a"))
	d.advance(testConfig.InitialRebalanceDelay - 1)
	d.state(PreparingRebalance, 2)
	d.advance(1)
	d.state(CompletingRebalance, 3)
}

func TestNewMemberFlagOutlivesADelayThatCouldNotGrow(t *testing.T) { // G-075
	d := drive(t, testConfig)
	d.park(newcomer("a", timeouts(10_000, 3000))) // R = D: the delay may not grow
	d.park(newcomer("b", timeouts(10_000, 3000)))
	d.advance(3000)
	d.state(CompletingRebalance, 1)
	d.ask(leaving("a-1", "b-1"))
	d.state(Empty, 2)
	d.park(newcomer("c"))
	d.advance(3000)
	d.state(PreparingRebalance, 2) // nobody joined c, yet the flag gives one more step
	d.advance(3000)
	d.state(CompletingRebalance, 3)
}

func TestMemberThatJoinsALaterRebalanceDoesNotProlongTheNextDelay(t *testing.T) { // G-056
	d := alone(t)
	d.send(joining("p", "")) // holds up the join phase
	d.park(joining("a", "a-1"))
	d.park(newcomer("b"))
	d.ask(leaving("a-1", "b-1", "p-1"))
	d.state(Empty, 2)
	d.park(newcomer("c"))
	d.advance(testConfig.InitialRebalanceDelay)
	d.state(CompletingRebalance, 3)
}
