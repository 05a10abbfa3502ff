package group

import (
	"reflect"
	"testing"
)

func loaded(t testing.TB, config Config, records ...Record) *driver {
	d := drive(t, config)
	d.log = records
	d.reload(config)
	return d
}

func generation(md Metadata) Record { return Record{Kind: MetadataRecord, Metadata: &md} }

func TestLoadedGroupIsTheOneThatWasStored(t *testing.T) { // G-209, G-210
	instance := "i"
	d := loaded(t, testConfig, generation(Metadata{
		ProtocolType: "consumer", Generation: 7, Protocol: "range", Leader: "b-1", Timestamp: 5,
		Members: []MemberMetadata{
			{ID: "a-1", ClientID: "a", ClientHost: "/h", RebalanceTimeout: -1, SessionTimeout: 9000, Subscription: []byte("s"), Assignment: []byte("x")},
			{ID: "b-1", InstanceID: &instance, RebalanceTimeout: 5000, SessionTimeout: 8000, Subscription: []byte("t")},
		},
	}))
	d.state(Stable, 7)
	want := Description{
		State: Stable, Generation: 7, ProtocolType: "consumer", Protocol: "range", LeaderID: "b-1",
		Members: []MemberDescription{
			{ID: "a-1", ClientID: "a", ClientHost: "/h", Metadata: []byte("s"), Assignment: []byte("x")},
			{ID: "b-1", InstanceID: &instance, Metadata: []byte("t")},
		},
	}
	got := d.g.Describe()
	d.must(reflect.DeepEqual(got, want), "described as %+v, want %+v", got, want)
	d.must(d.g.members.byID["a-1"].rebalanceTimeout == 9000, "-1 is as the session time-out") // and only -1
	d.must(d.g.NextDeadline() == d.now+8000, "the first session ends in %d", d.g.NextDeadline()-d.now)
	d.must(string(d.ask(syncing("a-1", 7)).Assignment) == "x", "no assignment")
}

func TestLaterRecordTakesThePlaceOfAnEarlierOne(t *testing.T) {
	offset := Record{Kind: OffsetRecord, Topic: "t1", Offset: Offset{Offset: 7}}
	d := loaded(t, testConfig, offset,
		generation(Metadata{ProtocolType: "consumer", Generation: 1, Protocol: "range", Leader: "a-1", Members: []MemberMetadata{{ID: "a-1", SessionTimeout: 9000}}}),
		generation(Metadata{ProtocolType: "consumer", Generation: 2, Timestamp: 9}))
	d.state(Empty, 2)
	_, kept := d.g.Offset("t1", 0)
	d.must(kept, "the offset is gone")
	d.must(d.g.ProtocolType() == "consumer" && d.g.Describe().LeaderID == "", "%+v", d.g.Describe())
	d.must(d.g.NextDeadline() == Never, "a session of the earlier one is left")
}

func TestTombstoneTakesTheGroupAway(t *testing.T) {
	d := loaded(t, testConfig, generation(Metadata{ProtocolType: "consumer", Generation: 2}), Record{Kind: MetadataTombstone})
	d.state(Dead, 0)
	d.must(len(d.transitions) == 0, "told of %+v", d.transitions)

	d = drive(t, testConfig) // and of a live one, also the ids that have not joined (G-196)
	d.want(d.ask(joining("a", "")), MemberIDRequired)
	d.g.Apply(&Record{Kind: MetadataTombstone})
	d.told = Dead // by whoever deleted it
	d.state(Dead, 0)
	d.want(d.ask(joining("a", "a-1")), UnknownMemberID)
	d.want(d.ask(joining("a", "")), MemberIDRequired)
	d.state(Empty, 0)
}

func TestRecordsThatKafkaNeverWritesAreLoadedAllTheSame(t *testing.T) {
	instance := "i"
	member := func(id string, instanceID *string) MemberMetadata {
		return MemberMetadata{ID: id, InstanceID: instanceID, SessionTimeout: 9000}
	}
	tests := map[string]Metadata{
		"a member twice":               {Members: []MemberMetadata{member("a-1", nil), member("a-1", nil)}},
		"an instance twice":            {Members: []MemberMetadata{member("a-1", &instance), member("a-2", &instance)}},
		"a leader that is no member":   {Leader: "z-9", Members: []MemberMetadata{member("a-1", nil)}},
		"no leader":                    {Members: []MemberMetadata{member("a-1", nil)}},
		"a session time-out below nil": {Members: []MemberMetadata{{ID: "a-1", SessionTimeout: -1, RebalanceTimeout: -1}}},
	}
	for name, md := range tests {
		t.Run(name, func(t *testing.T) {
			md.ProtocolType, md.Protocol, md.Generation = "consumer", "range", 3
			d := loaded(t, testConfig, generation(md))
			d.state(Stable, 3)
			d.must(d.g.members.len() == 1 && d.g.leader.id == "a-1", "%d members", d.g.members.len())
			d.advance(9000)
			d.state(Empty, 4)
		})
	}
}

func TestRebalanceUnderWayIsLostWithTheCoordinator(t *testing.T) { // G-211
	d := trio(t, Stable)
	d.park(joining("b", "b-1", listing("t2", "range")))
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.reload(testConfig)
	d.state(Stable, 1)
	d.want(d.ask(beating("b-1", 1)), None)
	d.want(d.ask(joining("p", "p-1")), UnknownMemberID)

	d.rejoined()
	d.park(joining("a", "a-1", listing("t2", "range")))
	d.reload(testConfig) // the members know of a generation that was not stored
	d.state(Stable, 2)
}

// rejoined drives a Stable group to the next generation.
func (d *driver) rejoined() {
	d.t.Helper()
	d.send(joining("a", d.g.leader.id))
	d.rejoin()
}
