package preview_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
)

// replay is an assignor that answers what Java has.
type replay struct {
	assignor.UserDataAssignor
	out map[string]map[string][]int
}

func (r replay) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	for m, member := range p.Members {
		for t, topic := range p.Topics {
			for _, q := range r.out[member.ID][topic.Name] {
				plan.Assign(m, t, q)
			}
		}
	}
	if r.Supports().Has(assignor.Cooperative) {
		plan.WithholdMoving()
	}
	return nil
}

// TestFactsAreThoseOfTheVectors judges Java's plans, of which the vectors say what they are worth.
func TestFactsAreThoseOfTheVectors(t *testing.T) {
	for name, a := range map[string]assignor.UserDataAssignor{"sticky": assignor.Sticky{}, "cooperative-sticky": assignor.CooperativeSticky{}} {
		judged := 0
		for line := range strings.Lines(string(vectors(t, name))) {
			var v struct {
				ID       string
				In       vector.Input
				Out, Pre map[string]map[string][]int
				Valid    *bool
				Facts    *preview.Facts
			}
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			if v.Facts == nil || v.Valid == nil || !*v.Valid {
				continue
			}
			if v.Pre != nil {
				v.Out = v.Pre
			}
			solved, err := preview.Solve(t.Context(), replay{a, v.Out}, &v.In)
			if err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			got := solved.Report(preview.DefaultLimit).Facts
			got.Withheld = 0 // which the vectors do not count
			if got != *v.Facts {
				t.Errorf("%s: judged %+v, it is %+v", v.ID, got, *v.Facts)
			}
			judged++
		}
		if judged < 80 {
			t.Errorf("%s: only %d cases are judged", name, judged)
		}
	}
}
