package assignor_test

import (
	"reflect"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"pgregory.net/rapid"
)

// Names that Java and Go order differently are among them: U+1F40E is below U+FF61 in UTF-16 only.
var (
	drawnTopics    = []string{"a", "aa", "b", "orders", "Z", "\uFF61", "\U0001F40E"}
	drawnRacks     = []string{"ra", "rb", "rc"}
	drawnMembers   = []string{"m0", "m1", "m2", "m10", "M", "\uFFE0", "\U0001F410", "m-x"}
	drawnInstances = []string{"i0", "i1", "I", "\uFF62", "\U0001F411", "z", "0", "i10"}
)

// drawInput draws a group and a cluster, from the empty ones up.
func drawInput(t *rapid.T) input {
	var in input
	withRacks := rapid.Bool().Draw(t, "racks")
	rack := rapid.Ptr(rapid.SampledFrom(drawnRacks), true)
	for _, name := range rapid.Permutation(drawnTopics).Draw(t, "topics")[:rapid.IntRange(0, 5).Draw(t, "topic count")] {
		topic := inputTopic{Name: name, Parts: rapid.IntRange(0, 9).Draw(t, "partitions")}
		for range topic.Parts {
			if withRacks {
				topic.Racks = append(topic.Racks, rapid.SliceOfN(rack, 0, 3).Draw(t, "replicas"))
			}
		}
		in.Topics = append(in.Topics, topic)
	}
	ids := rapid.Permutation(drawnMembers).Draw(t, "members")[:rapid.IntRange(0, 6).Draw(t, "member count")]
	instances := rapid.Permutation(drawnInstances).Draw(t, "instances")
	for i, id := range ids {
		m := inputMember{ID: id}
		if rapid.Bool().Draw(t, "static") {
			m.Instance = instances[i]
		}
		if withRacks && rapid.Bool().Draw(t, "has rack") {
			m.Rack = rapid.SampledFrom(drawnRacks).Draw(t, "rack")
		}
		if i > 0 && rapid.Bool().Draw(t, "as the one before") {
			m.Subs = in.Members[i-1].Subs
		} else {
			m.Subs = rapid.SliceOfDistinct(rapid.SampledFrom(drawnTopics), rapid.ID).Draw(t, "subs")
		}
		m.Version = rapid.Ptr(rapid.Int16Range(0, 4), true).Draw(t, "version")
		in.Members = append(in.Members, m)
	}
	return in
}

func TestRangeFollowsTheRules(t *testing.T) { testRules(t, assignor.Range{}, rangeOracle) }
func TestRoundRobinFollowsTheRules(t *testing.T) {
	testRules(t, assignor.RoundRobin{}, roundRobinOracle)
}

func testRules(t *testing.T, a assignor.Assignor, oracle func(input) assignment) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		want := oracle(in)
		if got := assignment(solve(t, a, in.join(), in.cluster())); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s gives\n%v\nthe rules give\n%v\nfor %v", a.Name(), got, want, in)
		}
	})
}

func TestPlansAreCompleteAndDisjoint(t *testing.T) {
	forAll(t, func(t *rapid.T, a assignor.Assignor, in input) {
		out := solve(t, a, in.join(), in.cluster())
		owner := map[assignor.TopicPartition]string{}
		subscribed := map[string]map[string]bool{}
		for _, m := range in.Members {
			for _, topic := range m.Subs {
				if subscribed[topic] == nil {
					subscribed[topic] = map[string]bool{}
				}
				subscribed[topic][m.ID] = true
			}
		}
		for id, byTopic := range out {
			for topic, list := range byTopic {
				for _, q := range list {
					tp := assignor.TopicPartition{Topic: topic, Partition: q}
					if owner[tp] != "" {
						t.Fatalf("%v goes to %q and to %q in %v", tp, owner[tp], id, in)
					}
					if !subscribed[topic][id] {
						t.Fatalf("%v goes to %q, which does not subscribe to it, in %v", tp, id, in)
					}
					owner[tp] = id
				}
			}
		}
		due := 0
		for _, topic := range in.Topics {
			if len(subscribed[topic.Name]) > 0 {
				due += topic.Parts
			}
		}
		if len(owner) != due {
			t.Fatalf("%d of %d partitions are assigned in %v", len(owner), due, in)
		}
	})
}

func TestPlansDoNotDependOnTheOrderOfMembersAndTopics(t *testing.T) {
	forAll(t, func(t *rapid.T, a assignor.Assignor, in input) {
		first := solve(t, a, in.join(), in.cluster())
		shuffled := input{
			Topics:  rapid.Permutation(in.Topics).Draw(t, "other topics"),
			Members: rapid.Permutation(in.Members).Draw(t, "other members"),
		}
		if second := solve(t, a, shuffled.join(), shuffled.cluster()); !reflect.DeepEqual(first, second) {
			t.Fatalf("%s gives\n%v\nfor %v, but\n%v\nin another order", a.Name(), first, in, second)
		}
	})
}

var builtIns = []assignor.Assignor{assignor.Range{}, assignor.RoundRobin{}, assignor.Sticky{}, assignor.CooperativeSticky{}, assignor.Standby{}}

func forAll(t *testing.T, property func(*rapid.T, assignor.Assignor, input)) {
	for _, a := range builtIns {
		t.Run(a.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, a, drawInput(t)) })
		})
	}
}
