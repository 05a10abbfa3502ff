package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEverySideDoesTheWork(t *testing.T) {
	b := bench{
		sides: slices.Concat(inMemory, overTCP, []side{{"laden", ladenInProcess(100)}}), runs: 1, sizes: []int{1, 20}, groups: 100, crowd: 20, while: 10 * time.Millisecond, progress: io.Discard,
	}
	var out strings.Builder
	if err := report(t.Context(), &out, "any network", b); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{
		"20 members: all join", "20 members: one more joins", "20 members: one leaves", "20 members: heartbeats",
		"100 groups of one: all join", "100 groups of one: heartbeats",
	} {
		if !strings.Contains(out.String(), "\n| "+title) {
			t.Errorf("no row %q in\n%s", title, out.String())
		}
	}
}

func TestTableHasMediansAndRatios(t *testing.T) {
	table := &table{sides: []string{"ours", "theirs"}}
	for _, seconds := range []float64{0.004, 0.001, 0.9} {
		table.add(0, "join", inTime, seconds)
	}
	for _, seconds := range []float64{0.020, 0.030, 0.010} {
		table.add(1, "join", inTime, seconds)
	}
	table.add(0, "heartbeats", asRate, 30_000)
	table.add(1, "heartbeats", asRate, 10_000)
	table.add(0, "generations", asCount, 2)
	table.add(1, "generations", asCount, 5)
	var out strings.Builder
	if err := table.print(&out); err != nil {
		t.Fatal(err)
	}
	const want = `|             |     ours |   theirs | ours to theirs |
| ---         |      --: |      --: |            --: |
| join        |  4.00 ms |  20.0 ms |           5.0× |
| heartbeats  | 30.0 k/s | 10.0 k/s |           3.0× |
| generations |        2 |        5 |                |
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
