package assignor_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// lagging is members and one topic with these offsets, to which all of them subscribe.
func lagging(t *testing.T, members int, offsets ...assignor.Offsets) *assignor.Problem {
	in := input{Members: []inputMember{{ID: "a"}, {ID: "b"}, {ID: "c"}}[:members]}
	for i := range in.Members {
		in.Members[i].Subs = []string{"t"}
	}
	cluster := topics("t", len(offsets))
	cluster.Offsets = func(context.Context, []assignor.Topic) ([][]assignor.Offsets, error) {
		return [][]assignor.Offsets{offsets}, nil
	}
	return problemOf(t, in.join(), cluster)
}

// behind is a partition whose group is so many records behind.
func behind(lag int64) assignor.Offsets { return assignor.Offsets{Committed: 5, End: 5 + lag} }

func TestLagAware(t *testing.T) {
	idle := slices.Repeat([]assignor.Offsets{behind(0)}, 7)
	for name, test := range map[string]struct {
		a       assignor.LagAware
		members int
		offsets []assignor.Offsets
		owners  string // of each partition
	}{
		"lags are shared out, not partitions": {assignor.LagAware{}, 2,
			[]assignor.Offsets{behind(10), behind(20), behind(90), behind(30), behind(25)}, "bbabb"},
		"none lags":                             {assignor.LagAware{}, 3, idle, "abcabca"},
		"all lag alike":                         {assignor.LagAware{}, 3, slices.Repeat([]assignor.Offsets{behind(9)}, 5), "abcab"},
		"only one lags":                         {assignor.LagAware{}, 2, append([]assignor.Offsets{behind(1000)}, idle...), "abababab"},
		"nothing is committed":                  {assignor.LagAware{}, 2, []assignor.Offsets{{Committed: -1, Start: 2, End: 9}, behind(3), behind(4)}, "abb"},
		"nothing is committed, and it will be":  {assignor.LagAware{Latest: true}, 2, []assignor.Offsets{{Committed: -1, Start: 2, End: 9}, behind(3), behind(4)}, "aba"},
		"what is committed is gone":             {assignor.LagAware{}, 2, []assignor.Offsets{{Committed: 1, Start: 50, End: 59}, behind(8), behind(3)}, "abb"},
		"what is committed is gone, to the end": {assignor.LagAware{Latest: true}, 2, []assignor.Offsets{{Committed: 1, Start: 50, End: 59}, behind(8), behind(3)}, "aab"},
		"a partition counts by itself, too":     {assignor.LagAware{Base: 100}, 2, []assignor.Offsets{behind(90), behind(30), behind(20), behind(10)}, "abba"},
		"without a leader nothing is known":     {assignor.LagAware{}, 2, []assignor.Offsets{{Committed: 7, Start: -1, End: -1}, behind(3), behind(4)}, "aba"},
		"logs that are longer than can be":      {assignor.LagAware{}, 2, slices.Repeat([]assignor.Offsets{{End: math.MaxInt64}}, 4), "abab"},
		"and one of them is":                    {assignor.LagAware{Base: 7}, 2, []assignor.Offsets{behind(1), {End: math.MaxInt64}, behind(1)}, "bab"},
		"a base that is larger than can be":     {assignor.LagAware{Base: math.MaxInt64}, 2, []assignor.Offsets{behind(1), behind(0)}, "ab"},
		"offsets that are no offsets":           {assignor.LagAware{}, 2, []assignor.Offsets{{Committed: -9, Start: -9, End: math.MinInt64}, behind(3)}, "ba"},
	} {
		plan, err := assignor.Run(t.Context(), test.a, lagging(t, test.members, test.offsets...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var owners strings.Builder
		for q := range test.offsets {
			owners.WriteByte("abc"[plan.Owner(0, q)])
		}
		if owners.String() != test.owners {
			t.Errorf("%s: owners are %s, want %s", name, owners.String(), test.owners)
		}
	}
}

// TestLagAwareHasNoPlanWithoutOffsets, which is what FallBack is for.
func TestLagAwareHasNoPlanWithoutOffsets(t *testing.T) {
	p := twoMembers(t)
	if _, err := assignor.Run(t.Context(), assignor.LagAware{}, p); !errors.Is(err, assignor.ErrNoOffsets) || !strings.Contains(err.Error(), "FallBack") {
		t.Errorf("got %v", err)
	}
	plan, err := assignor.Run(t.Context(), assignor.FallBack(assignor.LagAware{}, assignor.RoundRobin{}), p)
	if err != nil {
		t.Fatal(err)
	}
	if notes := plan.Notes(); len(notes) != 1 || !strings.Contains(notes[0].Text, `the plan is made by "roundrobin"`) {
		t.Errorf("notes are %v", notes)
	}
	if _, err := assignor.Run(t.Context(), assignor.LagAware{Base: -1}, p); err == nil || !strings.Contains(err.Error(), "Base is -1: use 0 or more") {
		t.Errorf("got %v", err)
	}
}
