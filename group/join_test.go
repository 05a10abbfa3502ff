package group

import "testing"

func TestDynamicJoinerMustComeAgainWithTheIDItIsGiven(t *testing.T) { // G-049, KIP-394
	d := drive(t, testConfig)
	r := d.ask(joining("a", ""))
	d.want(r, MemberIDRequired)
	d.must(r.MemberID == "a-1" && r.Generation == -1, "got %+v", r)
	d.state(Empty, 0)

	join := d.park(joining("a", "a-1"))
	d.advance(testConfig.InitialRebalanceDelay)
	r = d.answer(join)
	d.want(r, None)
	d.must(r.MemberID == "a-1" && r.LeaderID == "a-1" && r.Generation == 1 && len(r.Members) == 1, "got %+v", r)
}

func TestJoinerIsAMemberAtOnce(t *testing.T) {
	tests := map[string]Event{
		"of a version without MEMBER_ID_REQUIRED (G-050)": newcomer("a"),
		"with an instance id, in every version (G-051)":   joining("a", "", as("i")),
	}
	for name, join := range tests {
		t.Run(name, func(t *testing.T) {
			d := drive(t, testConfig)
			d.park(join)
			d.state(PreparingRebalance, 0)
			d.must(d.g.members.byID["a-1"] != nil, "a is no member")
		})
	}
}

func TestJoinWithAnIDNeedsAGroup(t *testing.T) { // G-034
	d := drive(t, testConfig)
	r := d.ask(joining("a", "a-9"))
	d.want(r, UnknownMemberID)
	d.must(r.MemberID == "a-9", "the id is not echoed: %+v", r)
	d.state(Dead, 0)
}

func TestCreatedGroupIsStored(t *testing.T) { // G-036
	d := drive(t, testConfig)
	d.hold = true
	d.want(d.ask(joining("a", "")), MemberIDRequired) // does not wait for the record
	d.must(len(d.records) == 1, "%d records", len(d.records))
	md := d.records[0].Metadata
	d.must(md.Generation == 0 && md.ProtocolType == "" && md.Protocol == "" && md.Leader == "" && md.Timestamp == d.now && len(md.Members) == 0,
		"record %+v", md)
	d.accept()
	d.reload(testConfig)
	d.state(Empty, 0)
}

func TestJoinIsRefusedForItsProtocols(t *testing.T) { // G-045, G-046
	member := joining("a", "a-1")
	tests := []struct {
		name  string
		stand func(t testing.TB) *driver
		join  Event
		id    string
	}{
		{"no protocol type in an Empty group", dead, newcomer("b", ofType("")), ""},
		{"no protocols in an Empty group", dead, newcomer("b", listing("")), ""},
		{"another protocol type", alone, newcomer("b", ofType("connect")), ""},
		{"no protocol that all support", alone, newcomer("b", listing("", "roundrobin")), ""},
		{"an unknown member: before it is looked for", alone, joining("b", "b-9", ofType("connect")), "b-9"},
		{"a member that drops the only protocol", alone, event(member, []option{listing("", "sticky")}), "a-1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := test.stand(t)
			state, generation := d.g.state, d.g.generation
			r := d.ask(test.join)
			d.want(r, InconsistentGroupProtocol)
			d.must(r.MemberID == test.id && r.Generation == -1, "got %+v", r)
			if state == Dead {
				state = Empty // the refused join has created it (G-035, G-036)
			}
			d.state(state, generation)
		})
	}
}

func dead(t testing.TB) *driver { return drive(t, testConfig) }

// alone is a Stable group of the member a-1.
func alone(t testing.TB) *driver { return stable(t, testConfig, newcomer("a")) }

func TestPendingIDWithAnInstanceIDIsAnInternalError(t *testing.T) { // G-057
	d := drive(t, testConfig)
	d.ask(joining("a", ""))
	r := d.ask(joining("a", "a-1", as("i")))
	d.want(r, UnknownServerError)
	d.must(r.MemberID == "", "got %+v", r)
	d.park(joining("a", "a-1")) // the id is still good
}

func TestUnknownMemberIsRefusedWithItsID(t *testing.T) { // G-058
	d := alone(t)
	r := d.ask(joining("b", "b-9"))
	d.want(r, UnknownMemberID)
	d.must(r.MemberID == "b-9" && r.ProtocolType == "" && r.ProtocolName == "", "got %+v", r)
}

func TestPendingIDThatNobodyComesBackWithIsDropped(t *testing.T) { // G-053
	d := drive(t, testConfig)
	d.ask(joining("a", "", timeouts(10_000, 60_000)))
	d.advance(9_999)
	d.must(len(d.g.pending) == 1, "dropped early")
	d.advance(1)
	d.must(len(d.g.pending) == 0, "still there")
	d.want(d.ask(joining("a", "a-1")), UnknownMemberID)
}

func TestPendingIDsAreBounded(t *testing.T) {
	config := testConfig
	config.MaxPending = 2
	d := drive(t, config)
	d.want(d.ask(joining("a", "")), MemberIDRequired)
	d.want(d.ask(joining("b", "")), MemberIDRequired)
	d.want(d.ask(joining("c", "")), GroupMaxSizeReached)
	d.park(joining("a", "a-1")) // makes room
	d.want(d.ask(joining("c", "")), MemberIDRequired)
}

func TestDoubledProtocolNameCountsOnce(t *testing.T) { // G-093
	d := drive(t, testConfig)
	ev := newcomer("a")
	ev.Protocols = []Protocol{{"range", []byte("first")}, {"sticky", nil}, {"range", []byte("second")}}
	join := d.park(ev)
	other := d.park(newcomer("b", listing("t1", "range")))
	d.advance(10_000)
	r := d.answer(join)
	d.must(r.ProtocolName == "range" && string(r.Members[0].Metadata) == "first", "got %+v", r)
	d.want(d.answer(other), None)
	d.assign()
	d.state(Stable, 1)
	d.want(d.ask(leaving("a-1")), None)
	d.want(d.ask(beating("b-1", 1)), RebalanceInProgress)
}

func TestManyDoubledProtocolNamesCountOnce(t *testing.T) { // G-093, past the number that is compared pair by pair
	var names []string
	for range 10 {
		names = append(names, "range", "sticky", "roundrobin")
	}
	d := completing(t, testConfig, newcomer("a", listing("t1", names...)))
	d.must(len(d.g.leader.protocols) == 3, "%d protocols", len(d.g.leader.protocols))
}

func TestSecondJoinTakesThePlaceOfAParkedOne(t *testing.T) { // G-015
	d := drive(t, testConfig)
	d.ask(joining("a", ""))
	first := d.park(joining("a", "a-1"))
	second := d.park(joining("a", "a-1", listing("t2", "range")))
	d.must(d.answer(first).Superseded, "the first join was answered")
	d.advance(10_000)
	r := d.answer(second)
	d.must(string(r.Members[0].Metadata) == "t2", "got %+v", r)
}
