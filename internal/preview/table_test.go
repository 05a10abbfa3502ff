package preview_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
)

// reports solves an input by each of some assignors.
func reports(t *testing.T, in *vector.Input, limit int, names ...string) (all []*preview.Report) {
	t.Helper()
	for _, s := range solved(t, in, names...) {
		all = append(all, s.Report(limit))
	}
	return all
}

func solved(t *testing.T, in *vector.Input, names ...string) (all []*preview.Solved) {
	t.Helper()
	for _, name := range names {
		a, err := choose(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := preview.Solve(t.Context(), a, in)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func shop(t *testing.T) *vector.Input {
	t.Helper()
	data, err := os.ReadFile("../../examples/assign/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := preview.Read("shop.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return c.In
}

// lagging adds lags to two topics of six and three partitions.
func lagging(in *vector.Input) *vector.Input {
	in.Topics[0].Lag, in.Topics[1].Lag = []int64{10, 500, 0, 0, 20, 480}, []int64{0, 7, 3}
	return in
}

// large is a group of n members with ids of its own, who share topics evenly so far, but for the last one, who is new.
func large(n int) *vector.Input {
	in := &vector.Input{Topics: []vector.Topic{{Name: "t", Parts: n * 3}, {Name: "nosuch"}}}
	for i := range n {
		m := vector.Member{ID: fmt.Sprintf("m%04d", i), Subs: []string{"t", "nosuch"}}
		if i < n-1 {
			m.Owned, m.Generation = map[string][]int32{"t": {int32(3 * i), int32(3*i + 1), int32(3*i + 2)}}, new(int32(1))
		}
		in.Members = append(in.Members, m)
	}
	return in
}

func TestTable(t *testing.T) {
	for _, test := range []struct {
		name  string
		in    *vector.Input
		limit int
		by    []string
		want  string
	}{
		{"of one plan", shop(t), preview.DefaultLimit, []string{"cooperative-sticky"}, `
3 members, 2 topics, 9 partitions

member  rack  now  gets  in  out  far  partitions
anna    a       5     3  +1   -3    -  orders 0, payments 0,2
bert    b       4     3  +1   -2    -  orders 3-4, payments 1
carl    c       0     3  +3    -    -  orders 1-2,5

                              cooperative-sticky
partitions a member           3 to 3, spread 0
moved to another member       5 of 9
held back until given up      5
far from their member's rack  0 of 9
largest assignment            44 bytes
the group's record            576 bytes of 1.05 MB, 0.1%
`},
		{"of two plans", shop(t), 600, []string{"sticky", "range"}, `
3 members, 2 topics, 9 partitions

member  rack  now  sticky  in  out  far  range  in  out  far
anna    a       5       3  +1   -3    -      4  +1   -2    -
bert    b       4       3  +1   -2    -      3  +2   -3    -
carl    c       0       3  +3    -    -      2  +2    -    -

                              sticky                                     range
partitions a member           3 to 3, spread 0                           2 to 4, spread 2
moved to another member       5 of 9                                     5 of 9
far from their member's rack  0 of 9                                     0 of 9
largest assignment            48 bytes                                   52 bytes
the group's record            614 bytes of 600 bytes, 102.3%: too large  509 bytes of 600 bytes, 84.8%
`},
		{"of lags", lagging(shop(t)), preview.DefaultLimit, []string{"lag-aware", "roundrobin"}, `
3 members, 2 topics, 9 partitions

member  rack  now  lag-aware  in  out  far  lag  roundrobin  in  out  far  lag
anna    a       5          2   -   -3    1  500           4  +2   -3    -   13
bert    b       4          4  +2   -2    2  490           3  +2   -3    -  527
carl    c       0          3  +3    -    2   30           2  +2    -    -  480

                              lag-aware                   roundrobin
partitions a member           2 to 4, spread 2            2 to 4, spread 2
moved to another member       5 of 9                      6 of 9
far from their member's rack  5 of 9                      0 of 9
largest assignment            52 bytes                    52 bytes
the group's record            499 bytes of 1.05 MB, 0.0%  514 bytes of 1.05 MB, 0.0%
`},
		{"of nobody", &vector.Input{}, preview.DefaultLimit, []string{"range"}, `
0 members, 0 topics, 0 partitions

member  gets  partitions

                     range
partitions a member  0 to 0, spread 0
largest assignment   0 bytes
the group's record   124 bytes of 1.05 MB, 0.0%
`},
		{"of a hostile name", &vector.Input{Topics: []vector.Topic{{Name: "t\x1b[2J", Parts: 1}}, Members: []vector.Member{{ID: "\n\x1b[2J" + strings.Repeat("a", 99), Subs: []string{"t\x1b[2J"}}}},
			preview.DefaultLimit, []string{"range"}, `
1 member, 1 topic, 1 partition

member                                gets  partitions
��[2Jaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…     1  t�[2J 0

                     range
partitions a member  1 to 1, spread 0
largest assignment   25 bytes
the group's record   528 bytes of 1.05 MB, 0.1%
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			if err := preview.Table(&text, test.in, reports(t, test.in, test.limit, test.by...), false); err != nil {
				t.Fatal(err)
			}
			if got := text.String(); got != strings.TrimPrefix(test.want, "\n") {
				t.Errorf("printed\n%s", got)
			}
		})
	}
}

func TestALargeGroupIsSummedUp(t *testing.T) {
	in := large(1000)
	r := reports(t, in, preview.DefaultLimit, "sticky")
	var short, long strings.Builder
	if err := preview.Table(&short, in, r, false); err != nil {
		t.Fatal(err)
	}
	if err := preview.Table(&long, in, r, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1000 members, 2 topics, 3000 partitions\n", "\nm0999     0     3  +3    -  t ", "\n… and 990 more members, which change no more than these; --all ",
		"\nmoved to another member  0 of 2997\n", "\nnote: topic \"nosuch\": it does not exist",
	} {
		if !strings.Contains(short.String(), want) {
			t.Errorf("no %q in\n%s", want, short.String())
		}
	}
	if n := strings.Count(short.String(), "\n"); n > 25 {
		t.Errorf("%d lines", n)
	}
	if n := strings.Count(long.String(), "\nm"); n < 1000 || strings.Contains(long.String(), "--all") {
		t.Errorf("with all members, %d of them:\n%.1000s", n, long.String())
	}
}
