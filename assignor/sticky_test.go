package assignor_test

import (
	"encoding/json"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"pgregory.net/rapid"
)

var sticky = []assignor.UserDataAssignor{assignor.Sticky{}, assignor.CooperativeSticky{}, assignor.Standby{}}

// drawClaims adds to a drawn input what its members claim to own, true or not, as far as they can say so.
func drawClaims(t *rapid.T, in input, a assignor.Assignor) input {
	liars := rapid.Bool().Draw(t, "liars")
	for i := range in.Members {
		m := &in.Members[i]
		if rapid.Bool().Draw(t, "has a generation") {
			generation := rapid.Int32Range(0, 3).Draw(t, "generation")
			m.Generation = &generation
		}
		m.Owned = map[string][]int32{}
	}
	for _, topic := range in.Topics {
		for q := range topic.Parts {
			claimants := rapid.IntRange(0, 1)
			if liars {
				claimants = rapid.IntRange(0, 3)
			}
			for range claimants.Draw(t, "claimants") {
				if len(in.Members) > 0 {
					m := rapid.SampledFrom(in.Members).Draw(t, "claimant")
					m.Owned[topic.Name] = append(m.Owned[topic.Name], int32(q))
				}
			}
		}
	}
	for i, m := range in.Members {
		if m.Version != nil && *m.Version == 0 && a.Supports().Has(assignor.Cooperative) {
			in.Members[i].Owned = nil
		}
	}
	return in
}

func TestStickyPlansAreTheBest(t *testing.T) {
	for _, a := range sticky {
		t.Run(a.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := drawClaims(t, drawInput(t), a)
				is, best := in.quality(in.plan(t, a)), in.best()
				if !in.rackAware() {
					is.far = best.far
				}
				if is != best {
					t.Fatalf("got %+v, the best is %+v, for %v", is, best, in)
				}
			})
		})
	}
}

func TestStickyPlansDoNotDependOnTheOrderOfMembersAndTopics(t *testing.T) {
	for _, a := range sticky {
		t.Run(a.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := drawClaims(t, drawInput(t), a)
				shuffled := input{
					Topics:  rapid.Permutation(in.Topics).Draw(t, "other topics"),
					Members: rapid.Permutation(in.Members).Draw(t, "other members"),
				}
				if first, second := owners(in.plan(t, a)), owners(shuffled.plan(t, a)); first != second {
					t.Fatalf("%s for %v, but %s in another order", first, in, second)
				}
			})
		})
	}
}

func TestStickyIsRightWhereJavaIsNot(t *testing.T) {
	seen := 0
	for line := range vectorLines(t, "../testdata/vectors/sticky-faults.jsonl") {
		seen++
		var v struct {
			ID       string `json:"id"`
			Assignor string `json:"assignor"`
			In       input  `json:"in"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, a := range sticky {
			if is, best := v.In.quality(v.In.plan(t, a)), v.In.best(); is != best {
				t.Errorf("%s: %s: got %+v, the best is %+v", v.ID, a.Name(), is, best)
			}
		}
	}
	if seen != 8 {
		t.Errorf("there are %d cases, not 8", seen)
	}
}
