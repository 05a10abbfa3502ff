package group

import "testing"

// identities are the senders of the matrices of G-226 to G-228, in the group that trio makes.
var identities = map[string]option{
	"ok":             sender("c-1", 1),
	"ok with id":     func(ev *Event) { sender("c-1", 1)(ev); as("i")(ev) },
	"gen":            sender("c-1", 0),
	"unk":            sender("z-9", 1),
	"unk instance":   func(ev *Event) { sender("c-1", 1)(ev); as("z")(ev) },
	"unk, pending":   sender("p-1", 1),
	"unk, empty id":  sender("", 1),
	"fenced":         func(ev *Event) { sender("c-0", 1)(ev); as("i")(ev) },
	"fenced, no id":  func(ev *Event) { sender("", 1)(ev); as("i")(ev) },
	"anon":           sender("", -1),
	"ok without gen": sender("c-1", -1),
}

func sender(memberID string, generation int32) option {
	return func(ev *Event) { ev.MemberID, ev.Generation = memberID, generation }
}

// answers tells what a known member is answered; for the others the rows hold in every state that has members.
func wantByIdentity(identity string, ok Error) Error {
	switch identity {
	case "ok", "ok with id":
		return ok
	case "gen", "ok without gen":
		return IllegalGeneration
	case "fenced", "fenced, no id":
		return FencedInstanceID
	}
	return UnknownMemberID
}

// stand makes the group of a matrix's column. It has the pending id p-1 wherever it has members.
func stand(t testing.TB, state State) *driver {
	switch state {
	case Dead:
		return drive(t, testConfig)
	case Empty:
		d := trio(t, Stable)
		d.ask(leaving("a-1", "b-1", "c-1"))
		d.state(Empty, 2)
		return d
	}
	d := trio(t, state)
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	return d
}

var allStates = []State{Dead, Empty, PreparingRebalance, CompletingRebalance, Stable}

func eachCell(t *testing.T, kind Kind, cell func(d *driver, state State, identity string, ev Event)) {
	for _, state := range allStates {
		for identity, from := range identities {
			t.Run(state.String()+"/"+identity, func(t *testing.T) {
				ev := Event{Kind: kind}
				from(&ev)
				cell(stand(t, state), state, identity, ev)
			})
		}
	}
}

func TestSyncMatrix(t *testing.T) { // G-226
	eachCell(t, Sync, func(d *driver, state State, identity string, ev Event) {
		want := UnknownMemberID
		switch state {
		case PreparingRebalance:
			want = wantByIdentity(identity, RebalanceInProgress)
		case CompletingRebalance, Stable:
			want = wantByIdentity(identity, None)
		}
		if state == CompletingRebalance && want == None {
			d.park(ev)
			return
		}
		d.want(d.ask(ev), want)
	})
}

func TestHeartbeatMatrix(t *testing.T) { // G-227
	eachCell(t, Heartbeat, func(d *driver, state State, identity string, ev Event) {
		want := UnknownMemberID
		switch state {
		case PreparingRebalance:
			want = wantByIdentity(identity, RebalanceInProgress) // G-125: with the old generation
		case CompletingRebalance, Stable:
			want = wantByIdentity(identity, None)
		}
		d.want(d.ask(ev), want)
	})
}

func TestCommitMatrix(t *testing.T) { // G-228, of OffsetCommit v9
	eachCell(t, Commit, func(d *driver, state State, identity string, ev Event) {
		ev.Offsets = committing("", 0).Offsets
		var want Error
		switch state {
		case Dead, Empty:
			switch {
			case ev.Generation < 0:
				want = None
			case state == Dead:
				want = GroupIDNotFound
			default:
				want = UnknownMemberID // G-245
			}
		case CompletingRebalance:
			want = wantByIdentity(identity, RebalanceInProgress)
		default:
			want = wantByIdentity(identity, None)
		}
		d.want(d.ask(ev), want)
		_, stored := d.g.Offset("t1", 0)
		d.must(stored == (want == None), "stored: %v", stored)
	})
}

func TestLeaveMatrix(t *testing.T) { // G-230, G-158
	instance, other := "i", "z"
	tests := []struct {
		name string
		who  LeavingMember
		want Error
	}{
		{"ok", LeavingMember{"c-1", nil}, None},
		{"ok with instance id", LeavingMember{"c-1", &instance}, None},
		{"pending (G-161)", LeavingMember{"p-1", nil}, None},
		{"instance id alone (G-160)", LeavingMember{"", &instance}, None},
		{"unknown instance id alone", LeavingMember{"", &other}, UnknownMemberID},
		{"nothing", LeavingMember{"", nil}, UnknownMemberID},
		{"unknown", LeavingMember{"z-9", nil}, UnknownMemberID},
		{"unknown instance", LeavingMember{"c-1", &other}, UnknownMemberID},
		{"fenced", LeavingMember{"c-0", &instance}, FencedInstanceID},
	}
	for _, state := range allStates {
		for _, test := range tests {
			t.Run(state.String()+"/"+test.name, func(t *testing.T) {
				d := stand(t, state)
				want := test.want
				if state == Dead || state == Empty {
					want = UnknownMemberID
				}
				r := d.ask(Event{Kind: Leave, Leaving: []LeavingMember{test.who}})
				d.want(r, None)
				d.must(len(r.Errors) == 1 && r.Errors[0] == want, "got %v", r.Errors)
			})
		}
	}
}

func TestJoinMatrix(t *testing.T) { // G-231, G-065
	join := func(id string, options ...option) Event { return joining("c", id, options...) }
	changed := listing("t2", "range")
	tests := []struct {
		name  string
		join  Event
		wants [5]Error // by state; -1 is: parked
	}{
		{"wrong protocols", join("c-1", ofType("connect")), [5]Error{UnknownMemberID, UnknownMemberID, InconsistentGroupProtocol, InconsistentGroupProtocol, InconsistentGroupProtocol}},
		{"pending", join("p-1"), [5]Error{UnknownMemberID, UnknownMemberID, parked, parked, parked}},
		{"unknown", join("z-9"), [5]Error{UnknownMemberID, UnknownMemberID, UnknownMemberID, UnknownMemberID, UnknownMemberID}},
		{"fenced", join("c-0", as("i")), [5]Error{UnknownMemberID, UnknownMemberID, FencedInstanceID, FencedInstanceID, FencedInstanceID}},
		{"known, same metadata", join("c-1", as("i")), [5]Error{UnknownMemberID, UnknownMemberID, parked, None, None}},
		{"known, changed", join("c-1", changed), [5]Error{UnknownMemberID, UnknownMemberID, parked, parked, parked}},
	}
	for _, test := range tests {
		for _, state := range allStates {
			t.Run(state.String()+"/"+test.name, func(t *testing.T) {
				d := stand(t, state)
				token := d.send(test.join)
				if test.wants[state] == parked {
					d.waits(token)
					return
				}
				r := d.answer(token)
				d.want(r, test.wants[state])
				d.must(r.MemberID == test.join.MemberID, "the id is not echoed: %+v", r)
			})
		}
	}
}

// parked stands for no answer yet.
const parked = UnknownServerError
