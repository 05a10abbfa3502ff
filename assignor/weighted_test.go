package assignor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/joinsync/joinsync/assignor"
	cases "github.com/joinsync/joinsync/internal/vector"
)

// weights are by topic and partition.
type weights map[string][]int64

func (w weights) of(topic string, partition int) int64 { return w[topic][partition] }

// drawWeighted draws a small group, what its members claim, and weights of few different sizes.
func drawWeighted(t *rapid.T, members, topics, partitions int) (*cases.Input, weights) {
	in, w := &cases.Input{}, weights{}
	alike := rapid.Bool().Draw(t, "all subscribe alike")
	size := rapid.SampledFrom([]int64{1, 3, 20}).Draw(t, "heaviest")
	for n := range rapid.IntRange(1, topics).Draw(t, "topics") {
		topic := cases.Topic{Name: fmt.Sprintf("t%d", n), Parts: rapid.IntRange(1, partitions).Draw(t, "partitions")}
		in.Topics = append(in.Topics, topic)
		w[topic.Name] = rapid.SliceOfN(rapid.Int64Range(0, size), topic.Parts, topic.Parts).Draw(t, "weights")
	}
	for n := range rapid.IntRange(1, members).Draw(t, "members") {
		m := cases.Member{ID: fmt.Sprintf("m%d", n), Subs: []string{}, Owned: map[string][]int32{}}
		m.Generation = new(rapid.Int32Range(0, 1).Draw(t, "generation"))
		for _, topic := range in.Topics {
			if alike || rapid.Bool().Draw(t, "subscribes") {
				m.Subs = append(m.Subs, topic.Name)
			}
		}
		in.Members = append(in.Members, m)
	}
	claimants := rapid.SampledFrom([]int{0, 1, 1, 1, 1, 1, 1, 2})
	for _, topic := range in.Topics {
		for q := range topic.Parts {
			for range claimants.Draw(t, "claimants") {
				m := rapid.SampledFrom(in.Members).Draw(t, "claimant")
				m.Owned[topic.Name] = append(m.Owned[topic.Name], int32(q))
			}
		}
	}
	return in, w
}

func weightedPlan(t fataler, in *cases.Input, w weights) *assignor.Plan {
	t.Helper()
	a := assignor.Weighted("weighted", w.of)
	plan, err := assignor.Run(context.Background(), a, problemOf(t, in.Join(a), in.Cluster()))
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return plan
}

// carried is by member what its partitions weigh, and how many there are that count does for.
func carried(plan *assignor.Plan, w weights, count func(weight int64) bool) (weight []int64, number []int) {
	p := plan.Problem()
	weight, number = make([]int64, len(p.Members)), make([]int, len(p.Members))
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			weight[plan.Owner(t, q)] += w.of(topic.Name, q)
			if count(w.of(topic.Name, q)) {
				number[plan.Owner(t, q)]++
			}
		}
	}
	return weight, number
}

func always(int64) bool { return true }

// leastMost is the least that the most loaded of some members can have, by trial of everything.
func leastMost(members int, list []int64) int64 {
	slices.SortFunc(list, func(a, b int64) int { return int(b - a) })
	loads, best := make([]int64, members), int64(math.MaxInt64)
	var try func(n int, most int64)
	try = func(n int, most int64) {
		if most >= best {
			return
		}
		if n == len(list) {
			best = most
			return
		}
		for m := range loads {
			loads[m] += list[n]
			try(n+1, max(most, loads[m]))
			loads[m] -= list[n]
			if loads[m] == 0 {
				break // the next empty one is no other
			}
		}
	}
	try(0, 0)
	return best
}

// TestWeightedIsWithinGrahamsBound, whatever the members claim to own.
func TestWeightedIsWithinGrahamsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawWeighted(t, 4, 3, 4)
		for i := range in.Members {
			in.Members[i].Subs = slices.Sorted(maps.Keys(w))
		}
		loads, _ := carried(weightedPlan(t, in, w), w, always)
		n, best := int64(len(loads)), leastMost(len(loads), slices.Concat(slices.Collect(maps.Values(w))...))
		if most := slices.Max(loads); 3*n*most > (4*n-1)*best {
			t.Fatalf("the most loaded of %v could have %d, of %v, %v", loads, best, in, w)
		}
	})
}

// TestWeightedCountsWhatIsAlike: where all subscribe alike, partitions without weight are shared out evenly, and so are all if
// they weigh the same.
func TestWeightedCountsWhatIsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawWeighted(t, 4, 3, 9)
		for i := range in.Members {
			in.Members[i].Subs = slices.Sorted(maps.Keys(w))
		}
		even := func(what string, numbers []int) {
			if slices.Max(numbers)-slices.Min(numbers) > 1 {
				t.Fatalf("of %s members get %v, of %v, %v", what, numbers, in, w)
			}
		}
		_, idle := carried(weightedPlan(t, in, w), w, func(weight int64) bool { return weight == 0 })
		even("those without weight", idle)
		equal := int64(len(in.Members) % 2)
		for topic := range w {
			for q := range w[topic] {
				w[topic][q] = equal
			}
		}
		plan := weightedPlan(t, in, w)
		_, all := carried(plan, w, always)
		even("equal ones", all)
		sticky := assignor.CooperativeSticky{}
		if got, want := sent(t, plan), planned(t, sticky, problemOf(t, in.Join(sticky), in.Cluster())); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("equal ones go to\n%v, by cooperative-sticky to\n%v, of %v", got, want, in)
		}
	})
}

// TestWeightedEndsInTwoRounds: the next round leaves to all what the first one has sent, and withholds nothing.
func TestWeightedEndsInTwoRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawWeighted(t, 5, 3, 6)
		endsInTwoRounds(t, in, w)
	})
	// All would keep what they own, with the rest of what others claim as even as can be, but not again when that is dealt out alone.
	lost := map[string][]int32{"t": {2, 3, 4}}
	for name, liars := range map[string][]cases.Member{
		"who do not subscribe": {{ID: "x", Subs: []string{}, Owned: lost}},
		"who are rivals":       {{ID: "x", Subs: []string{}, Owned: lost}, {ID: "y", Subs: []string{}, Owned: lost}},
	} {
		t.Run(name, func(t *testing.T) {
			endsInTwoRounds(t, &cases.Input{Topics: []cases.Topic{{Name: "t", Parts: 6}}, Members: append(liars,
				cases.Member{ID: "a", Subs: []string{"t"}, Owned: map[string][]int32{"t": {0}}}, cases.Member{ID: "b", Subs: []string{"t"}})},
				weights{"t": {1, 0, 3, 3, 5, 2}})
		})
	}
}

func endsInTwoRounds(t fataler, in *cases.Input, w weights) {
	t.Helper()
	first := weightedPlan(t, in, w)
	again := &cases.Input{Topics: in.Topics, Members: slices.Clone(in.Members)}
	for i := range again.Members {
		m := &again.Members[i]
		m.Owned, m.Generation = map[string][]int32{}, new(int32(7))
		for topic, list := range sent(t, first)[m.ID] {
			for _, q := range list {
				m.Owned[topic] = append(m.Owned[topic], int32(q))
			}
		}
	}
	second := weightedPlan(t, again, w)
	for topic, of := range first.Problem().Topics {
		for q := range of.Partitions {
			if second.Withheld(topic, q) || second.Owner(topic, q) != first.Owner(topic, q) && !first.Withheld(topic, q) {
				t.Fatalf("%s-%d goes to %d, then to %d (withheld: %t, %t), of %v, %v", of.Name, q, first.Owner(topic, q), second.Owner(topic, q),
					first.Withheld(topic, q), second.Withheld(topic, q), in, w)
			}
		}
	}
}

// TestWeightedMovesLittle: of a large group it moves hardly more weight than has to move, and all have about as much.
func TestWeightedMovesLittle(t *testing.T) {
	const members, partitions = 10, 1000
	random := rand.New(rand.NewPCG(1, 2))
	w := weights{"t": make([]int64, partitions)}
	for q := range partitions {
		w["t"][q] = int64(1000 * math.Exp(random.NormFloat64()))
	}
	group := func(names ...string) *cases.Input {
		in := &cases.Input{Topics: []cases.Topic{{Name: "t", Parts: partitions}}}
		for _, name := range names {
			in.Members = append(in.Members, cases.Member{ID: name, Subs: []string{"t"}, Generation: new(int32(1))})
		}
		return in
	}
	var names []string
	for m := range members {
		names = append(names, fmt.Sprintf("m%d", m))
	}
	before := sent(t, weightedPlan(t, group(names...), w))
	total := int64(0)
	for _, weight := range w["t"] {
		total += weight
	}
	for name, test := range map[string]struct {
		names []string
		need  int64 // what has to move from one to another
	}{
		"nothing changes":         {names, 0},
		"one leaves":              {names[1:], 0},
		"one goes, another comes": {append(names[1:], "new"), 0},
		"one comes":               {append(names, "new"), total / (members + 1)},
	} {
		in := group(test.names...)
		for i := range in.Members {
			for _, q := range before[in.Members[i].ID]["t"] {
				if in.Members[i].Owned == nil {
					in.Members[i].Owned = map[string][]int32{}
				}
				in.Members[i].Owned["t"] = append(in.Members[i].Owned["t"], int32(q))
			}
		}
		plan, moved := weightedPlan(t, in, w), int64(0)
		for m, member := range plan.Problem().Members {
			for _, q := range before[member.ID]["t"] {
				if plan.Owner(0, q) != m {
					moved += w["t"][q]
				}
			}
		}
		if moved > test.need+total/1000 {
			t.Errorf("%s: %d of a weight of %d moves, and %d has to", name, moved, total, test.need)
		}
		loads, _ := carried(plan, w, always)
		if spread := slices.Max(loads) - slices.Min(loads); spread > total/int64(len(loads))/50 {
			t.Errorf("%s: members have %v", name, loads)
		}
	}
}

// TestWeightedLeavesNobodyOut beside a partition that outweighs all others: who joins gets as much as the rest.
func TestWeightedLeavesNobodyOut(t *testing.T) {
	w := weights{"t": append([]int64{1000}, slices.Repeat([]int64{1, 2}, 30)...)}
	in := &cases.Input{Topics: []cases.Topic{{Name: "t", Parts: 61}}, Members: []cases.Member{
		{ID: "a", Subs: []string{"t"}, Generation: new(int32(1)), Owned: map[string][]int32{"t": {0}}},
		{ID: "b", Subs: []string{"t"}, Generation: new(int32(1)), Owned: map[string][]int32{"t": {}}},
		{ID: "c", Subs: []string{"t"}},
	}}
	for q := int32(1); q < 61; q++ {
		in.Members[1].Owned["t"] = append(in.Members[1].Owned["t"], q)
	}
	if loads, _ := carried(weightedPlan(t, in, w), w, always); !slices.Equal(loads, []int64{1000, 45, 45}) {
		t.Errorf("members have %v", loads)
	}
}

// TestWeightedKeepsWhatLeavesOthersTheirPart: the lightest one stays, as its owner has too little, however much others have too much.
func TestWeightedKeepsWhatLeavesOthersTheirPart(t *testing.T) {
	in := &cases.Input{Topics: []cases.Topic{{Name: "t", Parts: 8}}, Members: []cases.Member{
		{ID: "a", Subs: []string{"t"}, Owned: map[string][]int32{"t": {4}}},
		{ID: "b", Subs: []string{"t"}, Owned: map[string][]int32{"t": {7}}},
		{ID: "c", Subs: []string{"t"}, Owned: map[string][]int32{"t": {1, 2, 6}}},
	}}
	plan := weightedPlan(t, in, weights{"t": {8, 4, 4, 3, 3, 2, 2, 1}})
	for q, want := range []int{0, 2, 2, 1, 1, 1, 0, 1} {
		if got := plan.Owner(0, q); got != want {
			t.Errorf("partition %d goes to %d, not to %d", q, got, want)
		}
	}
}

func TestWeightedSaysWhatIsWrongWithAWeight(t *testing.T) {
	for says, weight := range map[string]int64{
		`partition 1 of topic "both" weighs -1: use 0`:                              -1,
		`partition 1 of topic "both", which weighs 9223372036854775807, brings the`: math.MaxInt64,
	} {
		_, err := assignor.Run(t.Context(), assignor.Weighted("weighted", func(_ string, partition int) int64 {
			if partition == 1 {
				return weight
			}
			return 5
		}), twoMembers(t))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), `"weighted"`) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

func TestWeightedStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := twoMembers(t)
	a := assignor.Weighted("weighted", func(_ string, partition int) int64 { return int64(partition) })
	if err := a.Assign(ctx, p, assignor.NewPlan(p)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestWeightedFollowsItsRule compares with the rule as it is written down, without heaps, for members that own nothing.
func TestWeightedFollowsItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawWeighted(t, 5, 3, 6)
		for i := range in.Members {
			in.Members[i].Owned = nil
		}
		plan := weightedPlan(t, in, w)
		p := plan.Problem()
		type part struct{ topic, partition int }
		var parts []part
		seen := map[int64]bool{}
		for topic, of := range p.Topics {
			for q := range of.Partitions {
				parts = append(parts, part{topic, q})
				seen[w.of(of.Name, q)] = true
			}
		}
		if len(seen) < 2 {
			return
		}
		weight := func(a part) int64 { return w.of(p.Topics[a.topic].Name, a.partition) }
		slices.SortStableFunc(parts, func(a, b part) int { return int(weight(b) - weight(a)) })
		loads, numbers := make([]int64, len(p.Members)), make([]int, len(p.Members))
		idle := false
		for _, part := range parts {
			weighs := weight(part)
			if weighs == 0 && !idle {
				idle = true
				clear(loads)
			}
			best := -1
			for _, m := range p.Subscribers(part.topic) {
				if best < 0 || loads[m] < loads[best] || loads[m] == loads[best] && numbers[m] < numbers[best] {
					best = m
				}
			}
			if got := plan.Owner(part.topic, part.partition); got != best {
				t.Fatalf("%v goes to %d, not to %d, of %v, %v", part, got, best, in, w)
			}
			loads[best] += max(1, weighs)
			numbers[best]++
		}
	})
}
