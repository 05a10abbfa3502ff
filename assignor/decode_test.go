package assignor_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

func joined(id string, metadata []byte) assignor.JoinedMember {
	return assignor.JoinedMember{ID: id, Metadata: metadata}
}

func subscription(change func(*protocol.Subscription), topics ...string) []byte {
	s := protocol.NewSubscription(topics...)
	if change != nil {
		change(&s)
	}
	return s.AppendTo(nil)
}

func TestProblemHoldsAllThatMembersSay(t *testing.T) {
	full := subscription(func(s *protocol.Subscription) {
		s.UserData, s.Generation, s.Rack = []byte("own"), 7, "east"
		s.Owned = []protocol.TopicPartitions{{Topic: "t1", Partitions: []int32{2, 0}}, {Topic: "t0", Partitions: []int32{1}}}
	}, "t1", "t0")
	p := problemOf(t, assignor.Join{
		Generation: 8, Previous: 7, Leader: "z", Self: "a",
		Members: []assignor.JoinedMember{
			{ID: "z", Metadata: full},
			{ID: "a", InstanceID: "i", Metadata: subscription(nil, "t0", "t1")},
			{ID: "b", Metadata: subscription(nil, "t0", "nope")},
			{ID: "c", Metadata: subscription(nil, "t0")},
		},
	}, topics("t1", 3, "t0", 2))

	if p.Generation != 8 || p.Previous != 7 || p.Members[p.Leader].ID != "z" || p.Members[p.Self].ID != "a" {
		t.Errorf("got generation %d, previous %d, leader %d, self %d", p.Generation, p.Previous, p.Leader, p.Self)
	}
	want := []assignor.Member{
		{ID: "a", InstanceID: "i", Class: 0, Generation: -1},
		{ID: "b", Class: 1, Generation: -1},
		{ID: "c", Class: 1, Generation: -1},
		{ID: "z", Class: 0, Generation: 7, Rack: "east", UserData: []byte("own"), Owned: []assignor.Claim{{0, 1}, {1, 0}, {1, 2}}},
	}
	if !reflect.DeepEqual(p.Members, want) {
		t.Errorf("members: got %+v, want %+v", p.Members, want)
	}
	classes := []assignor.Class{{Topics: []int{0, 1}, Members: []int{0, 3}}, {Topics: []int{0}, Members: []int{1, 2}}}
	if !reflect.DeepEqual(p.Classes, classes) {
		t.Errorf("classes: got %+v, want %+v", p.Classes, classes)
	}
	if got := [][]int{p.Subscribers(0), p.Subscribers(1)}; !reflect.DeepEqual(got, [][]int{{0, 1, 2, 3}, {0, 3}}) {
		t.Errorf("subscribers: got %v", got)
	}
	if p.Partitions() != 5 || !p.Subscribes(0, 1) || p.Subscribes(1, 1) {
		t.Errorf("got %d partitions; a subscribes to t1: %t; b: %t", p.Partitions(), p.Subscribes(0, 1), p.Subscribes(1, 1))
	}
}

func TestTopicsThatAreMissingAreNotedWithAllSubscribers(t *testing.T) {
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
		joined("d", subscription(nil, "gone")),
		joined("b", subscription(nil, "gone", "t")),
		joined("c", subscription(nil, "gone")),
		joined("a", subscription(nil, "t")),
	}}, topics("t", 1))
	if notes := p.Notes(); len(notes) != 1 || notes[0].Topic != "gone" || !strings.Contains(notes[0].Text, `(subscribers: 3, the first is "b")`) {
		t.Errorf("got notes %v", notes)
	}
}

// kafka-go says version 1 and leaves out what that added (kafka-go#1156). Java's leader throws; franz-go and Sarama read it.
func TestVersionOneMayLackItsField(t *testing.T) {
	short := subscription(func(s *protocol.Subscription) { s.Version, s.UserData = 0, []byte("own") }, "t")
	short[1] = 1
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", short)}}, topics("t", 1))
	if len(p.Notes()) != 0 || !p.Subscribes(0, 0) || string(p.Members[0].UserData) != "own" || p.Members[0].Generation != -1 {
		t.Errorf("got %+v, %v", p.Members, p.Notes())
	}
	short[1] = 2
	p = problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", short)}}, topics("t", 1))
	if len(p.Notes()) == 0 {
		t.Error("version 2 is read without what it added")
	}
}

func TestIdentitiesMayBeUnknown(t *testing.T) {
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", subscription(nil, "t"))}}, topics("t", 1))
	if p.Leader != -1 || p.Self != -1 {
		t.Errorf("got leader %d and self %d", p.Leader, p.Self)
	}
}

// So a topic that nobody subscribes to is never assigned (G-540).
func TestGroupTopicsAreAllThatAnybodySubscribesTo(t *testing.T) {
	group, err := assignor.Decode(assignor.Join{Members: []assignor.JoinedMember{
		joined("a", subscription(nil, "t1", "\uFF61")),
		joined("b", subscription(nil, "t0", "t1", "\U0001F40E")),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := group.Topics(), []string{"t0", "t1", "\U0001F40E", "\uFF61"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGarbageIsDroppedAndNoted: one member, bad, sends something wrong; the other one gets what there is to get.
func TestGarbageIsDroppedAndNoted(t *testing.T) {
	whole := subscription(func(s *protocol.Subscription) {
		s.UserData, s.Rack = []byte("own"), "east"
		s.Owned = []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{0}}}
	}, "t")
	tests := []struct {
		name     string
		metadata []byte
		notes    []string
	}{
		{"null", nil, []string{`"bad"`, "cannot be read"}},
		{"nothing but a version", []byte{0, 3}, []string{`"bad"`, "cannot be read"}},
		{"a negative version", append([]byte{0xFF, 0xFF}, whole[2:]...), []string{`"bad"`, "negative"}},
		{"more topics than bytes", []byte{0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 1, 't'}, []string{`"bad"`, "cannot be read"}},
		{"a negative number of topics", []byte{0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, []string{`"bad"`, "cannot be read"}},
		{"a null topic", []byte{0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0, 0, 0, 0}, []string{`"bad"`, "cannot be read"}},
		{"half of it", whole[:len(whole)/2], []string{`"bad"`, "cannot be read"}},
		{"without its last byte", whole[:len(whole)-1], []string{`"bad"`, "cannot be read"}},
		{"text", []byte("GET / HTTP/1.1\r\n\r\n"), []string{`"bad"`, "cannot be read"}},
		{"a topic that does not exist", subscription(nil, "nope"), []string{`"nope"`, "does not exist", "subscribers: 1", `"bad"`}},
		{"a topic without a name", subscription(nil, ""), []string{"does not exist", "subscribers: 1", `"bad"`}},
		{"a topic twice", []byte{0, 0, 0, 0, 0, 2, 0, 1, 'u', 0, 1, 'u', 0xFF, 0xFF, 0xFF, 0xFF}, []string{`"bad"`, "more than once: 1 names"}},
		{"claims of partitions that do not exist", subscription(func(s *protocol.Subscription) {
			s.Owned = []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{-1, 1, 2, 3, 1 << 30}}}
		}, "u"), []string{`"bad"`, `"t"`, "do not exist", "claims dropped: 4"}},
		{"claims made twice", subscription(func(s *protocol.Subscription) {
			s.Owned = []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{1, 0, 1}}, {Topic: "u", Partitions: []int32{0}}}
		}, "u"), []string{`"bad"`, "more than once", "claims dropped: 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
				joined("bad", test.metadata),
				joined("good", subscription(nil, "t")),
			}}, topics("t", 2, "u", 1))
			for _, a := range builtIns {
				plan, err := assignor.Run(t.Context(), a, p)
				if err != nil {
					t.Fatal(err)
				}
				if plan.Owner(0, 0) != 1 || plan.Owner(0, 1) != 1 {
					t.Errorf("%s: the good member is not given what nobody else can have", a.Name())
				}
				notes := plan.Notes()
				if len(notes) != 1 {
					t.Fatalf("%s: got notes %v", a.Name(), notes)
				}
				for _, part := range test.notes {
					if !strings.Contains(notes[0].String(), part) {
						t.Errorf("%s: the note does not say %s: %v", a.Name(), part, notes[0])
					}
				}
			}
		})
	}
}

func TestClaimsOfTopicsGivenUpAreKept(t *testing.T) {
	// A cooperative member that has unsubscribed from t still holds it, and nobody else may have it yet.
	holder := subscription(func(s *protocol.Subscription) {
		s.Owned = []protocol.TopicPartitions{{Topic: "gone", Partitions: []int32{0}}, {Topic: "t", Partitions: []int32{0}}}
	}, "u")
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
		joined("a", holder),
		joined("b", subscription(nil, "t", "u")),
	}}, topics("t", 2, "u", 1, "gone", 1))
	if got, want := p.Members[0].Owned, []assignor.Claim{{0, 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if notes := p.Notes(); len(notes) != 0 {
		t.Errorf("got notes %v", notes)
	}
}

func TestNewerVersionsAreReadAsOurs(t *testing.T) {
	newer := append(subscription(func(s *protocol.Subscription) { s.Rack = "east" }, "t"), "and more"...)
	newer[1] = 9
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", newer)}}, topics("t", 1))
	if len(p.Notes()) != 0 || p.Members[0].Rack != "east" || !p.Subscribes(0, 0) {
		t.Errorf("got %+v with notes %v", p.Members[0], p.Notes())
	}
}

func TestNotesAreBounded(t *testing.T) {
	var unknown []string
	for i := range 1000 {
		unknown = append(unknown, strings.Repeat("x", i+1))
	}
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("a", subscription(nil, unknown...))}}, topics())
	notes := p.Notes()
	if len(notes) > 101 || !strings.Contains(notes[len(notes)-1].String(), "900 more") {
		t.Errorf("got %d notes, the last is %v", len(notes), notes[len(notes)-1])
	}
}

func TestFaultsOfTheCallerAreErrorsThatNameThem(t *testing.T) {
	metadata := subscription(nil, "t")
	_, err := assignor.Decode(assignor.Join{Members: []assignor.JoinedMember{
		joined("a", metadata), joined("b", metadata), joined("a", metadata), joined("b", metadata),
	}})
	if err == nil || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("members twice: got %v", err)
	}

	group, err := assignor.Decode(assignor.Join{Members: []assignor.JoinedMember{joined("a", metadata)}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		topic assignor.Topic
		says  string
	}{
		{"twice", assignor.Topic{Name: "t", Partitions: 1}, "twice"},
		{"negative", assignor.Topic{Name: "bad", Partitions: -1}, "negative"},
		{"replicas of too few", assignor.Topic{Name: "bad", Partitions: 2, Replicas: [][]int32{{1}}}, "Replicas"},
		{"too many", assignor.Topic{Name: "bad", Partitions: 1<<31 - 1}, "above"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := group.Problem(assignor.Cluster{Topics: []assignor.Topic{{Name: "t", Partitions: 1}, test.topic}})
			if err == nil || !strings.Contains(err.Error(), test.topic.Name) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestSharingDoesNotMixMembersUp: subscriptions that are alike in their first bytes, or that name the same topics in
// another order, are told apart and put together as what they say.
func TestSharingDoesNotMixMembersUp(t *testing.T) {
	unsorted := func(names ...string) []byte {
		b := []byte{0, 0, 0, 0, 0, byte(len(names))}
		for _, name := range names {
			b = append(append(b, 0, byte(len(name))), name...)
		}
		return append(b, 0xFF, 0xFF, 0xFF, 0xFF)
	}
	p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
		joined("a", unsorted("t0", "t1")),
		joined("b", unsorted("t1", "t0")),
		joined("c", unsorted("t0")),
		joined("d", unsorted("t0", "t2")),
		joined("e", unsorted("t0", "t1")),
		joined("f", unsorted()),
	}}, topics("t0", 1, "t1", 1, "t2", 1))
	want := []assignor.Class{
		{Topics: []int{0, 1}, Members: []int{0, 1, 4}},
		{Topics: []int{0}, Members: []int{2}},
		{Topics: []int{0, 2}, Members: []int{3}},
		{Topics: []int{}, Members: []int{5}},
	}
	if !reflect.DeepEqual(p.Classes, want) {
		t.Errorf("got %+v, want %+v", p.Classes, want)
	}
}

// FuzzDecode has one member send anything at all, beside one that sends a subscription. What the two sides of this
// library make of those bytes must be the same, and both built-ins must go on.
func FuzzDecode(f *testing.F) {
	whole := subscription(func(s *protocol.Subscription) {
		s.UserData, s.Generation, s.Rack = []byte("own"), 7, "east"
		s.Owned = []protocol.TopicPartitions{{Topic: "t1", Partitions: []int32{2, 0}}, {Topic: "t0", Partitions: []int32{1, 9}}}
	}, "t1", "t0")
	for n := range len(whole) + 1 {
		f.Add(whole[:n])
	}
	f.Add([]byte{0, 0, 0, 0, 0, 2, 0, 1, 'u', 0, 1, 'u', 0xFF, 0xFF, 0xFF, 0xFF})
	f.Add(subscription(nil, "t0"))
	f.Add(subscription(nil, "t0")[:9])
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF})
	f.Add([]byte{0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, metadata []byte) {
		good := subscription(nil, "t0")
		p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{joined("good", good), joined("any", metadata)}}, topics("t0", 2, "t1", 3))
		checkAgainstProtocol(t, p, metadata)
		for _, a := range builtIns {
			plan, err := assignor.Run(t.Context(), a, p)
			if err != nil {
				t.Fatal(err)
			}
			sent(t, plan)
		}
	})
}

// checkAgainstProtocol compares member "any" with what protocol.DecodeSubscription reads.
func checkAgainstProtocol(t *testing.T, p *assignor.Problem, metadata []byte) {
	want, err := protocol.DecodeSubscription(metadata)
	if err != nil && bytes.HasPrefix(metadata, []byte{0, 1}) { // it may be what TestVersionOneMayLackItsField is about
		zero, errZero := protocol.DecodeSubscription(append([]byte{0, 0}, metadata[2:]...))
		if errZero == nil && len(zero.AppendTo(nil)) == len(metadata) {
			want, err = zero, nil
		}
	}
	if err != nil {
		want = protocol.Subscription{Generation: -1}
	}
	unreadable := slices.ContainsFunc(p.Notes(), func(n assignor.Note) bool { return strings.Contains(n.Text, "cannot be read") })
	if unreadable != (err != nil) {
		t.Errorf("notes are %v, protocol's error is %v", p.Notes(), err)
	}
	m := slices.IndexFunc(p.Members, func(m assignor.Member) bool { return m.ID == "any" })
	got := p.Members[m]
	if got.Rack != want.Rack || got.Generation != want.Generation || !bytes.Equal(got.UserData, want.UserData) || (got.UserData == nil) != (want.UserData == nil) {
		t.Errorf("got %+v, protocol reads %+v", got, want)
	}
	claims := map[assignor.Claim]bool{}
	for n, topic := range p.Topics {
		if p.Subscribes(m, n) != slices.Contains(want.Topics, topic.Name) {
			t.Errorf("subscribes to %q: %t, protocol reads %q", topic.Name, p.Subscribes(m, n), want.Topics)
		}
		for _, owned := range want.Owned {
			for _, q := range owned.Partitions {
				if owned.Topic == topic.Name && q >= 0 && int(q) < topic.Partitions {
					claims[assignor.Claim{Topic: int32(n), Partition: q}] = true
				}
			}
		}
	}
	for _, c := range got.Owned {
		if !claims[c] {
			t.Errorf("claim %v is not in %v", c, want.Owned)
		}
		delete(claims, c)
	}
	if len(claims) > 0 {
		t.Errorf("claims %v are lost", claims)
	}
}
