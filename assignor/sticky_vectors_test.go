package assignor_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// quality is what a sticky plan is judged by; a cooperative one by all that it plans, withheld or not.
type quality struct {
	squares  int // of the members' numbers of partitions, their sum
	far      int // partitions whose member has a rack that they have no replica in
	moved    int // partitions with a valid owner before that are planned for another one
	previous int // partitions with a valid owner before
}

// tp is a partition.
type tp = assignor.TopicPartition

// previous is the valid owners of before: who alone claims a partition in the highest generation in which anybody does, and
// subscribes to it still.
func (in input) previous() map[tp]string {
	type claim struct {
		member     inputMember
		generation int32
	}
	claims := map[tp][]claim{}
	for _, topic := range in.Topics {
		for q := range topic.Parts {
			for _, m := range in.Members {
				if slices.Contains(m.Owned[topic.Name], int32(q)) {
					claims[tp{Topic: topic.Name, Partition: q}] = append(claims[tp{Topic: topic.Name, Partition: q}], claim{m, m.Since()})
				}
			}
		}
	}
	owners := map[tp]string{}
	for q, list := range claims {
		highest := slices.MaxFunc(list, func(a, b claim) int { return int(a.generation - b.generation) }).generation
		list = slices.DeleteFunc(list, func(c claim) bool { return c.generation < highest })
		if len(list) == 1 && slices.Contains(list[0].member.Subs, q.Topic) {
			owners[q] = list[0].member.ID
		}
	}
	return owners
}

// racksOf is the racks of a partition's replicas.
func (in input) racksOf(q tp) map[string]bool {
	racks := map[string]bool{}
	for _, topic := range in.Topics {
		if topic.Name == q.Topic && topic.Racks != nil {
			for _, rack := range topic.Racks[q.Partition] {
				if rack != nil {
					racks[*rack] = true
				}
			}
		}
	}
	return racks
}

// quality judges a plan.
func (in input) quality(plan *assignor.Plan) quality {
	var is quality
	p := plan.Problem()
	members := map[string]inputMember{}
	for _, m := range in.inOrder() { // which takes racks away that a member does not send
		members[m.ID] = m
	}
	previous := in.previous()
	is.previous = len(previous)
	loads := make([]int, len(p.Members))
	for t, topic := range p.Topics {
		for partition := range topic.Partitions {
			owner := plan.Owner(t, partition)
			loads[owner]++
			q := tp{Topic: topic.Name, Partition: partition}
			id := p.Members[owner].ID
			if rack := members[id].Rack; rack != "" && !in.racksOf(q)[rack] {
				is.far++
			}
			if before, ok := previous[q]; ok && before != id {
				is.moved++
			}
		}
	}
	for _, load := range loads {
		is.squares += load * load
	}
	return is
}

// optimum is the best that there is, beside each case.
type optimum struct {
	Squares    int    `json:"sq"`
	RackFirst  [2]int `json:"rackFirst"`
	MovesFirst [2]int `json:"movesFirst"`
}

type stickyVector struct {
	vectorCase
	RackAware bool    `json:"rackAware"`
	Optimum   optimum `json:"opt"`
	Facts     struct {
		Previous *int `json:"prev"`
	} `json:"facts"`
}

func TestStickyIsAtTheOptimum(t *testing.T) {
	testOptimum(t, assignor.Sticky{}, "../testdata/vectors/sticky.jsonl", 150)
}

func TestCooperativeStickyIsAtTheOptimum(t *testing.T) {
	testOptimum(t, assignor.CooperativeSticky{}, "../testdata/vectors/cooperative-sticky.jsonl", 100)
}

func testOptimum(t *testing.T, a assignor.UserDataAssignor, file string, cases int) {
	seen := 0
	for line := range vectorLines(t, file) {
		seen++
		var v stickyVector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		plan := v.In.plan(t, a)
		is := v.In.quality(plan)
		want := quality{v.Optimum.Squares, v.Optimum.RackFirst[0], v.Optimum.RackFirst[1], is.previous}
		if !v.RackAware {
			want.far, want.moved = is.far, v.Optimum.MovesFirst[1]
		}
		if v.Facts.Previous != nil {
			want.previous = *v.Facts.Previous
		}
		if is != want {
			t.Errorf("%s: got %+v, the best is %+v", v.ID, is, want)
		}
	}
	if seen != cases {
		t.Errorf("%s holds %d cases, not %d", file, seen, cases)
	}
}

// plan takes an input to the plan of a sticky assignor.
func (in input) plan(t fataler, a assignor.UserDataAssignor) *assignor.Plan {
	t.Helper()
	plan, err := assignor.Run(t.Context(), a, problemOf(t, in.joinAs(a), in.cluster()))
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	in.checkSent(t, a, plan)
	return plan
}

// checkSent checks what is sent of a plan: all of it, but, if it is cooperative, for what another member claims, and its
// owner does not.
func (in input) checkSent(t fataler, a assignor.Assignor, plan *assignor.Plan) {
	t.Helper()
	p := plan.Problem()
	out := sent(t, plan)
	due := map[string]map[string][]int{}
	for _, m := range in.Members {
		due[m.ID] = map[string][]int{}
	}
	for n, topic := range p.Topics {
		for partition := range topic.Partitions {
			id := p.Members[plan.Owner(n, partition)].ID
			mine, others := false, false
			for _, m := range in.Members {
				claims := slices.Contains(m.Owned[topic.Name], int32(partition))
				mine = mine || claims && m.ID == id
				others = others || claims && m.ID != id
			}
			withheld := a.Supports().Has(assignor.Cooperative) && others && !mine
			if plan.Withheld(n, partition) != withheld {
				t.Fatalf("partition %d of %q to %q is withheld: %t, in %v", partition, topic.Name, id, !withheld, in)
			}
			if !withheld {
				due[id][topic.Name] = append(due[id][topic.Name], partition)
			}
		}
	}
	if !maps.EqualFunc(out, due, func(a, b map[string][]int) bool { return maps.EqualFunc(a, b, slices.Equal) }) {
		t.Fatalf("sent is %v, planned and not withheld is %v, in %v", out, due, in)
	}
}
