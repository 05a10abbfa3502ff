package assignor_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
	"pgregory.net/rapid"
)

// standbyMember is a member of topic t, whose partitions have numbers below 10.
type standbyMember struct {
	generation              int32
	owned, followed, coming string // partitions, a digit each
}

func numbers(digits string) (list []byte) {
	if digits == "" {
		return []byte{0, 0, 0, 0}
	}
	list = []byte{0, 0, 0, 1, 0, 1, 't', 0, 0, 0, byte(len(digits))}
	for _, d := range []byte(digits) {
		list = append(list, 0, 0, 0, d-'0')
	}
	return list
}

// told is the user data of the member's assignment.
func (m standbyMember) told() []byte {
	return slices.Concat([]byte{0, 0}, numbers(m.followed), numbers(m.coming))
}

// subscribed is the user data that it sends.
func (m standbyMember) subscribed() []byte {
	last := assignor.Assignment{Generation: m.generation, UserData: m.told()}
	if m.owned != "" {
		last.Partitions = []protocol.TopicPartitions{{Topic: "t"}}
		for _, d := range []byte(m.owned) {
			last.Partitions[0].Partitions = append(last.Partitions[0].Partitions, int32(d-'0'))
		}
	}
	return assignor.Standby{}.UserData(last)
}

// standbyPlan is the plan of members a, b, c, … who send such user data.
func standbyPlan(t rapid.TB, partitions int, userData ...[]byte) *assignor.Plan {
	t.Helper()
	join := assignor.Join{Generation: 9}
	for i, data := range userData {
		s := protocol.NewSubscription("t")
		s.UserData = data
		join.Members = append(join.Members, assignor.JoinedMember{ID: string(rune('a' + i)), Metadata: s.AppendTo(nil)})
	}
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: "t", Partitions: partitions}}}
	plan, err := assignor.Solve(context.Background(), assignor.Standby{}, join, cluster)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// standbySeconds is the owners and the seconds of partitions 0, 1, 2, ….
func standbySeconds(t rapid.TB, plan *assignor.Plan) (owned, followed string) {
	t.Helper()
	seconds := make([]byte, plan.Problem().Partitions())
	for m, member := range plan.Problem().Members {
		list, err := assignor.Standbys(plan.UserData(m))
		if err != nil {
			t.Fatal(err)
		}
		for _, tp := range list {
			for _, q := range tp.Partitions {
				seconds[q] = member.ID[0]
			}
		}
	}
	for q := range seconds {
		owned += plan.Problem().Members[plan.Owner(0, q)].ID
	}
	return owned, string(seconds)
}

func TestWhoTakesAPartitionOver(t *testing.T) {
	for name, test := range map[string]struct {
		a, b standbyMember
		want string
	}{
		"the second":                          {standbyMember{5, "0", "", ""}, standbyMember{5, "1", "2", ""}, "abb"},
		"the second of the latest generation": {standbyMember{4, "0", "2", ""}, standbyMember{5, "1", "2", ""}, "abb"},
		"also if it comes first":              {standbyMember{5, "0", "2", ""}, standbyMember{4, "1", "2", ""}, "aba"},
		"who waits for it":                    {standbyMember{5, "0", "2", ""}, standbyMember{5, "1", "", "2"}, "abb"},
		"but not if that is of old":           {standbyMember{6, "0", "2", ""}, standbyMember{5, "1", "", "2"}, "aba"},
		"nobody if its owner is there":        {standbyMember{5, "02", "", ""}, standbyMember{6, "1", "2", ""}, "aba"},
	} {
		if got, _ := standbySeconds(t, standbyPlan(t, 3, test.a.subscribed(), test.b.subscribed())); got != test.want {
			t.Errorf("%s: owners are %s, want %s", name, got, test.want)
		}
	}
}

// TestWhoBecomesSecond: of 0 and 1, which a owns, d gets one. Its second stays; else it becomes a.
func TestWhoBecomesSecond(t *testing.T) {
	for name, test := range map[string]struct{ followed, want string }{
		"it stays":           {"01", "c"},
		"the previous owner": {"", "a"},
	} {
		var all [][]byte
		for _, m := range []standbyMember{{5, "01", "", ""}, {5, "2", "", ""}, {5, "3", test.followed, ""}, {5, "", "", ""}} {
			all = append(all, m.subscribed())
		}
		owned, followed := standbySeconds(t, standbyPlan(t, 4, all...))
		if at := strings.Index(owned, "d"); followed[at:at+1] != test.want {
			t.Errorf("%s: owners are %s and seconds %s, want %s for d's", name, owned, followed, test.want)
		}
	}
}

// TestStandbyUserData is its layout, byte by byte.
func TestStandbyUserData(t *testing.T) {
	told := []byte{0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0} // version, followed, coming
	plan := standbyPlan(t, 3, standbyMember{5, "01", "", ""}.subscribed(), standbyMember{5, "2", "", ""}.subscribed())
	if got, want := plan.UserData(0), told; !bytes.Equal(got, want) {
		t.Errorf("the leader sends %v, want %v", got, want)
	}
	owned := []byte{0, 0, 0, 7, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1} // generation, owned
	both := []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}}
	last := assignor.Assignment{Generation: 7, Partitions: both, UserData: told}
	if got := (assignor.Standby{}).UserData(last); !bytes.Equal(got, slices.Concat(told, owned)) {
		t.Errorf("got %v", got)
	}
	if got := (assignor.Standby{}).UserData(assignor.Assignment{Generation: -1}); got != nil {
		t.Errorf("before the first assignment: got %v", got)
	}
	last.UserData = []byte("not ours")
	if got := (assignor.Standby{}).UserData(last); !bytes.Equal(got, slices.Concat(make([]byte, 10), owned)) {
		t.Errorf("after an assignment of others: got %v", got)
	}
	last.UserData = slices.Concat([]byte{0, 1}, told[2:], []byte("what version 1 adds"))
	if got := (assignor.Standby{}).UserData(last); !bytes.Equal(got, slices.Concat(told, owned)) {
		t.Errorf("after an assignment of version 1: got %v", got)
	}
}

func TestStandbysAreSorted(t *testing.T) {
	data := []byte{0, 0,
		0, 0, 0, 2, 0, 1, 'u', 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 5, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 3,
		0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3}
	want := []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{1, 3}}, {Topic: "u", Partitions: []int32{5, 7}}}
	if got, err := assignor.Standbys(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := assignor.Standbys(nil); err != nil || got != nil {
		t.Errorf("of nothing: got %v, %v", got, err)
	}
	if got, err := assignor.Standbys(append([]byte{0, 1}, data[2:]...)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of version 1: got %v, %v", got, err)
	}
}

// badStandbyData is what cannot be the user data of an assignment; with more behind, nor that of a subscription.
var badStandbyData = map[string][]byte{
	"of another assignor":       []byte("another"),
	"a version below 0":         {0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0},
	"cut":                       {0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 2, 0, 0, 0, 0},
	"a length that is not true": {0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	"a length below 0":          {0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	"more than that":            append(standbyMember{}.told(), 1),
}

func TestBadUserDataIsDroppedAndNoted(t *testing.T) {
	for name, data := range badStandbyData {
		if got, err := assignor.Standbys(data); err == nil {
			t.Errorf("%s: got %v", name, got)
		}
		if name == "more than that" {
			data = append(standbyMember{5, "0", "", ""}.subscribed(), 1)
		}
		plan := standbyPlan(t, 3, data, standbyMember{5, "01", "2", ""}.subscribed())
		if owned, _ := standbySeconds(t, plan); owned != "bba" {
			t.Errorf("%s: owners are %s", name, owned)
		}
		notes := plan.Notes()
		if len(notes) != 1 || notes[0].Member != "a" || !strings.Contains(notes[0].Text, "user data cannot be read") {
			t.Errorf("%s: notes are %v", name, notes)
		}
	}
	negative := []byte{0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	if got, err := assignor.Standbys(negative); err == nil || !strings.Contains(err.Error(), `partition -1 of topic "t"`) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestClaimsThatCannotBeAreNoted: b follows what does not exist, and what a follows in the same generation.
func TestClaimsThatCannotBeAreNoted(t *testing.T) {
	plan := standbyPlan(t, 3, standbyMember{5, "0", "2", ""}.subscribed(), standbyMember{5, "1", "27", ""}.subscribed())
	notes := plan.Notes()
	if len(notes) != 2 || !strings.Contains(notes[0].Text, "do not exist") || !strings.Contains(notes[1].Text, "in the same generation") {
		t.Errorf("notes are %v", notes)
	}
}

func TestNoUserDataMakesStandbyPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all [][]byte
		for range rapid.IntRange(1, 4).Draw(t, "members") {
			data := standbyMember{5, "01", "23", "4"}.subscribed()
			for range rapid.IntRange(0, 4).Draw(t, "bytes off") {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.SampledFrom([]byte{0, 1, 2, 'u', 0x7f, 0xff}).Draw(t, "byte")
			}
			all = append(all, data[:rapid.IntRange(0, len(data)).Draw(t, "cut")])
		}
		for _, data := range all {
			_, _ = assignor.Standbys(data)
			_ = assignor.Standby{}.UserData(assignor.Assignment{UserData: data})
		}
		owned, followed := standbySeconds(t, standbyPlan(t, 5, all...))
		for q := range owned {
			if len(all) > 1 && (followed[q] == 0 || followed[q] == owned[q]) {
				t.Fatalf("owners are %s, seconds %q", owned, followed)
			}
		}
	})
}

func TestOnStandbyIsTold(t *testing.T) {
	var told [][]protocol.TopicPartitions
	s := assignor.Standby{OnStandby: func(list []protocol.TopicPartitions) { told = append(told, list) }}
	for _, data := range [][]byte{standbyMember{5, "", "1", "0"}.told(), nil, []byte("not ours")} {
		if rejoin, _ := s.OnAssignment(assignor.Assignment{UserData: data}); rejoin {
			t.Error("it asks to join again")
		}
	}
	if want := [][]protocol.TopicPartitions{{{Topic: "t", Partitions: []int32{0, 1}}}, nil, nil}; !reflect.DeepEqual(told, want) {
		t.Errorf("told are %v", told)
	}
	assignor.Standby{}.OnAssignment(assignor.Assignment{UserData: []byte("not ours")})
}
