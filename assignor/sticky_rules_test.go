package assignor_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// twoSticky is members a and b on topics t0 and t1, of three partitions each, that own what is given, in a generation.
func twoSticky(ownedA map[string][]int32, generationA int32, ownedB map[string][]int32, generationB int32) input {
	subs := []string{"t0", "t1"}
	return input{
		Topics: []inputTopic{{Name: "t0", Parts: 3}, {Name: "t1", Parts: 3}},
		Members: []inputMember{
			{ID: "a", Subs: subs, Owned: ownedA, Generation: &generationA},
			{ID: "b", Subs: subs, Owned: ownedB, Generation: &generationB},
		},
	}
}

// TestStickyAssignorsDeclareTheirProtocols is G-552.
func TestStickyAssignorsDeclareTheirProtocols(t *testing.T) {
	for a, want := range map[assignor.Assignor]string{assignor.Sticky{}: "sticky: eager", assignor.CooperativeSticky{}: "cooperative-sticky: eager|cooperative"} {
		if got := a.Name() + ": " + a.Supports().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestStickyUserDataIsJavas is the layouts of G-553 and G-555, byte by byte.
func TestStickyUserDataIsJavas(t *testing.T) {
	last := assignor.Assignment{Generation: 7, Partitions: []protocol.TopicPartitions{{Topic: "t0", Partitions: []int32{0, 2}}}}
	want := []byte{0, 0, 0, 1, 0, 2, 't', '0', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7}
	if got := (assignor.Sticky{}).UserData(last); !bytes.Equal(got, want) {
		t.Errorf("sticky: got %v, want %v", got, want)
	}
	if got := (assignor.Sticky{}).UserData(assignor.Assignment{Generation: -1}); got != nil {
		t.Errorf("sticky, before the first assignment: got %v, want none", got)
	}
	if got := (assignor.CooperativeSticky{}).UserData(last); !bytes.Equal(got, []byte{0, 0, 0, 7}) {
		t.Errorf("cooperative-sticky: got %v", got)
	}
}

// TestFirstStickyPlanIsRoundRobin is the example of G-562 (and G-561).
func TestFirstStickyPlanIsRoundRobin(t *testing.T) {
	for _, a := range sticky {
		in := twoSticky(nil, -1, nil, -1)
		want := map[string]map[string][]int{"a": {"t0": {0, 2}, "t1": {1}}, "b": {"t0": {1}, "t1": {0, 2}}}
		if got := sent(t, in.plan(t, a)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", a.Name(), got, want)
		}
	}
}

// owners is who owns t0 and t1, partition after partition.
func owners(plan *assignor.Plan) (owners string) {
	p := plan.Problem()
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			owners += p.Members[plan.Owner(t, q)].ID
		}
	}
	return owners
}

func TestConflictingClaimsAreSettledByGeneration(t *testing.T) {
	t0 := map[string][]int32{"t0": {0, 1, 2}}
	tests := []struct {
		name string
		in   input
		want string // with round robin for what nobody is taken to own
	}{
		{"the later generation has them (G-556)", twoSticky(t0, 4, t0, 5), "bbbaaa"},
		{"in one generation neither has (G-556)", twoSticky(t0, 5, t0, 5), "ababab"},
		{"no generation is the lowest (G-555)", twoSticky(t0, 0, t0, -1), "aaabbb"},
	}
	for _, test := range tests {
		for _, a := range sticky {
			if got := owners(test.in.plan(t, a)); got != test.want {
				t.Errorf("%s: %s gives %s, want %s", test.name, a.Name(), got, test.want)
			}
		}
	}
}

// TestGenerationsOfOldVersionsCount: where a subscription has no generation, the one in the user data is compared, also with
// that of a member that has both. Java's StickyAssignor takes it for none (G-557).
func TestGenerationsOfOldVersionsCount(t *testing.T) {
	old := int16(1)
	in := twoSticky(map[string][]int32{"t0": {0, 1, 2}}, 5, map[string][]int32{"t0": {0, 1, 2}}, 4)
	in.Members[0].Version = &old
	for _, a := range sticky {
		if got := owners(in.plan(t, a)); got != "aaabbb" {
			t.Errorf("%s gives %s", a.Name(), got)
		}
	}
}

// TestStickyReadsItsUserDataOnly is G-554.
func TestStickyReadsItsUserDataOnly(t *testing.T) {
	in := twoSticky(nil, -1, map[string][]int32{"t0": {0, 1, 2}}, 5)
	plan, err := assignor.Run(t.Context(), assignor.Sticky{}, problemOf(t, in.joinAs(assignor.CooperativeSticky{}), in.cluster()))
	if err != nil {
		t.Fatal(err)
	}
	if got := owners(plan); got != "ababab" {
		t.Errorf("got %s", got)
	}
	if notes := plan.Notes(); len(notes) != 2 || !strings.Contains(notes[0].Text, "user data cannot be read") {
		t.Errorf("got notes %v", notes)
	}
}

// TestFalseClaimsAreDroppedAndNoted: b claims what is not there, or not its own, and a nothing at all.
func TestFalseClaimsAreDroppedAndNoted(t *testing.T) {
	tests := []struct {
		name  string
		owned map[string][]int32
		says  []string // nothing where it is no fault of b
	}{
		{"partitions that do not exist", map[string][]int32{"t0": {-1, 3, 1 << 30}}, []string{`"b"`, `"t0"`, "do not exist", "claims dropped: 3"}},
		{"a partition twice", map[string][]int32{"t0": {1, 1}}, []string{`"b"`, "more than once", "claims dropped: 1"}},
		{"another's partitions", map[string][]int32{"t1": {0, 1}}, []string{`"b"`, `"c"`, "in the same generation", "partitions: 2"}},
		{"partitions of a topic that is gone", map[string][]int32{"gone": {0, 1}}, nil},
	}
	for _, test := range tests {
		for _, a := range sticky {
			in := twoSticky(nil, 5, test.owned, 5)
			in.Members = append(in.Members, inputMember{ID: "c", Subs: []string{"t1"}, Owned: map[string][]int32{"t1": {0, 1, 2}}, Generation: in.Members[0].Generation})
			plan, err := assignor.Run(t.Context(), a, problemOf(t, in.joinAs(a), in.cluster()))
			if err != nil {
				t.Fatal(err)
			}
			notes := plan.Notes()
			if len(notes) != min(1, len(test.says)) {
				t.Errorf("%s: %s: got notes %v", test.name, a.Name(), notes)
				continue
			}
			for _, part := range test.says {
				if !strings.Contains(notes[0].String(), part) {
					t.Errorf("%s: %s: the note does not say %s: %v", test.name, a.Name(), part, notes[0])
				}
			}
		}
	}
}

// TestStickyReadsUserDataWithoutGeneration is the old form in G-553.
func TestStickyReadsUserDataWithoutGeneration(t *testing.T) {
	in := twoSticky(nil, -1, map[string][]int32{"t0": {0, 1, 2}}, 5)
	join := in.joinAs(assignor.Sticky{})
	s, err := protocol.DecodeSubscription(join.Members[1].Metadata)
	if err != nil {
		t.Fatal(err)
	}
	s.UserData = s.UserData[:len(s.UserData)-4]
	join.Members[1].Metadata = s.AppendTo(nil)
	plan, err := assignor.Run(t.Context(), assignor.Sticky{}, problemOf(t, join, in.cluster()))
	if err != nil {
		t.Fatal(err)
	}
	if got := owners(plan); got != "bbbaaa" {
		t.Errorf("got %s", got)
	}
}

// TestCooperativePlansTakeTwoRounds is G-564: b has left t0-0 in the first round, so a gets it in the second.
func TestCooperativePlansTakeTwoRounds(t *testing.T) {
	in := twoSticky(nil, -1, map[string][]int32{"t0": {0, 1, 2}, "t1": {0, 1, 2}}, 5)
	var a assignor.CooperativeSticky
	first := in.plan(t, a)
	after := sent(t, first)
	if first.Count(0) != 0 || first.Count(1) != 3 || len(after["a"]) != 0 {
		t.Errorf("the first round sends %v", after)
	}
	in.Members[1].Owned = map[string][]int32{}
	for topic, list := range after["b"] {
		for _, q := range list {
			in.Members[1].Owned[topic] = append(in.Members[1].Owned[topic], int32(q))
		}
	}
	second := in.plan(t, a)
	if second.Count(0) != 3 || owners(second) != owners(first) {
		t.Errorf("the first round plans %s, the second %s and sends %v", owners(first), owners(second), sent(t, second))
	}
}

// TestRacksCountWhereTheyDiffer is G-565.
func TestRacksCountWhereTheyDiffer(t *testing.T) {
	in := twoSticky(map[string][]int32{"t0": {0, 1, 2}}, 5, map[string][]int32{"t1": {0, 1, 2}}, 5)
	in.Members[0].Rack, in.Members[1].Rack = "east", "west"
	east, west := "east", "west"
	for i := range in.Topics {
		in.Topics[i].Racks = [][]*string{{&east, &west}, {&west, &east}, {&east, &west}}
	}
	for _, a := range sticky {
		if got := owners(in.plan(t, a)); got != "aaabbb" {
			t.Errorf("%s: all are near to all, but it gives %s", a.Name(), got)
		}
	}
	in.Topics[0].Racks = [][]*string{{&east}, {&west}, {&east}}
	for _, a := range sticky {
		if got := owners(in.plan(t, a)); got[:3] != "aba" || strings.Count(got, "b") != 3 {
			t.Errorf("%s gives %s", a.Name(), got)
		}
	}
}
