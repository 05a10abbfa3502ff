package group

import "testing"

func TestSyncsWaitForTheLeadersAssignment(t *testing.T) { // G-107, G-108, G-111, G-113
	d := trio(t, CompletingRebalance)
	d.hold = true
	b := d.park(syncing("b-1", 1))
	a := d.park(syncing("a-1", 1, assigning("a-1", "b-1", "z-9"))) // G-110: z-9 is no member
	d.must(len(d.records) == 1, "%d records", len(d.records))
	d.waits(b)
	d.accept()
	d.state(Stable, 1)
	for token, want := range map[Token]string{a: "#1 a-1", b: "#1 b-1"} {
		r := d.answer(token)
		d.want(r, None)
		d.must(string(r.Assignment) == want && r.ProtocolType == "consumer" && r.ProtocolName == "range", "got %+v", r)
	}
	d.want(d.ask(leaving("z-9")), None)
	r := d.ask(syncing("c-1", 1)) // who was not named has nothing, and may fetch that at any time
	d.want(r, None)
	d.must(len(r.Assignment) == 0, "got %+v", r)
}

func TestAssignmentIsStoredWithItsGeneration(t *testing.T) { // G-003, G-108, G-330, G-332
	d := completing(t, testConfig, newcomer("a", listing("t1", "range", "sticky")), newcomer("b", as("i"), listing("t1", "sticky", "range")))
	began := d.now
	d.advance(100)
	d.hold = true
	d.park(syncing("a-1", 1, assigning("b-1")))
	md := d.records[0].Metadata
	d.must(md.ProtocolType == "consumer" && md.Protocol == "sticky" && md.Generation == 1 && md.Leader == "a-1", "record %+v", md)
	d.must(md.Timestamp == began, "the record tells of %d, the last change of state was at %d", md.Timestamp, began)
	a, b := md.Members[0], md.Members[1]
	d.must(a.ID == "a-1" && a.InstanceID == nil && a.ClientID == "a" && a.ClientHost == "/10.0.0.1" && a.SessionTimeout == 10_000 &&
		a.RebalanceTimeout == 60_000 && string(a.Subscription) == "t1" && len(a.Assignment) == 0, "member %+v", a)
	d.must(b.ID == "b-1" && *b.InstanceID == "i" && string(b.Assignment) == "#1 b-1", "member %+v", b)
}

func TestSyncOfTheLeaderAlone(t *testing.T) {
	d := completing(t, testConfig, newcomer("a"))
	r := d.ask(syncing("a-1", 1, assigning("a-1")))
	d.want(r, None)
	d.must(string(r.Assignment) == "#1 a-1", "got %+v", r)
	d.must(!d.g.sync.set(), "a sync is still awaited") // G-107
}

func TestAssignmentsThatDoNotCount(t *testing.T) {
	d := trio(t, CompletingRebalance)
	b := d.park(syncing("b-1", 1, assigning("b-1"))) // a follower's (G-109)
	d.send(syncing("a-1", 1, assigning("c-1")))
	r := d.answer(b)
	d.must(len(r.Assignment) == 0, "a follower assigned itself %q", r.Assignment)

	r = d.ask(syncing("a-1", 1, assigning("a-1", "b-1"))) // a leader's in Stable (G-115)
	d.want(r, None)
	d.must(len(r.Assignment) == 0, "got %+v", r)
}

func TestSecondSyncTakesThePlaceOfAParkedOne(t *testing.T) { // G-015
	d := trio(t, CompletingRebalance)
	first := d.park(syncing("b-1", 1))
	second := d.park(syncing("b-1", 1))
	d.must(d.answer(first).Superseded, "the first sync was answered")
	d.send(syncing("a-1", 1, assigning("b-1")))
	d.must(string(d.answer(second).Assignment) == "#1 b-1", "no assignment")
}

func TestSyncNamesTheProtocol(t *testing.T) { // G-104, G-105, KIP-559
	tests := map[string]struct {
		options []option
		want    Error
	}{
		"not":                      {nil, None},
		"rightly":                  {[]option{naming("consumer", "range")}, None},
		"of another type":          {[]option{naming("connect", "range")}, InconsistentGroupProtocol},
		"wrongly":                  {[]option{naming("consumer", "sticky")}, InconsistentGroupProtocol},
		"wrongly, of a generation": {[]option{naming("connect", "sticky"), sender("b-1", 7)}, IllegalGeneration},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := trio(t, Stable)
			d.want(d.ask(syncing("b-1", 1, test.options...)), test.want)
		})
	}
	d := drive(t, testConfig) // before the first generation there is no protocol yet to compare with
	d.park(newcomer("a"))
	d.want(d.ask(syncing("a-1", 0, naming("consumer", "range"))), RebalanceInProgress)
	d.want(d.ask(syncing("a-1", 0, naming("connect", "range"))), InconsistentGroupProtocol)
}

func TestWhoNeverSyncsIsRemoved(t *testing.T) { // G-118 to G-121
	long := timeouts(200_000, 60_000)
	tests := []struct {
		name string
		sync []Event
		left []string
	}{
		{"the leader, before the assignment", []Event{syncing("b-1", 1), syncing("c-1", 1)}, []string{"b-1", "c-1"}},
		{"a follower, though Stable", []Event{syncing("a-1", 1), syncing("c-1", 1)}, []string{"a-1", "c-1"}},
		{"a static follower, though Stable", []Event{syncing("a-1", 1), syncing("b-1", 1)}, []string{"a-1", "b-1"}},
		{"everybody", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := completing(t, testConfig, newcomer("a", long), newcomer("b", long), newcomer("c", long, as("i")))
			for _, ev := range test.sync {
				d.send(ev)
			}
			d.advance(59_999)
			d.must(d.g.members.len() == 3, "removed early")
			d.advance(1)
			d.must(d.g.members.len() == len(test.left), "%d members left", d.g.members.len())
			for _, id := range test.left {
				d.must(d.g.members.byID[id] != nil, "%s was removed", id)
			}
			if test.left == nil {
				d.state(Empty, 2)
				return
			}
			d.state(PreparingRebalance, 1)
		})
	}
}

func TestWhoSyncedAtLastEndsTheWait(t *testing.T) { // G-107, G-114
	d := trio(t, CompletingRebalance)
	d.send(syncing("a-1", 1))
	d.send(syncing("b-1", 1))
	deadline := d.g.members.byID["c-1"].session.deadline
	d.advance(1000)
	d.want(d.ask(syncing("c-1", 1)), None)
	d.must(!d.g.sync.set(), "a sync is still awaited")
	d.must(d.g.members.byID["c-1"].session.deadline == deadline, "a sync in Stable restarted the session")
}
