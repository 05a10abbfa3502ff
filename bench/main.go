package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	runs := flag.Int("runs", 7, "how often to measure everything; the table has medians")
	limit := flag.Duration("limit", 5*time.Minute, "give up after this time")
	flag.Parse()
	ctx, cancel := context.WithTimeoutCause(context.Background(), *limit, fmt.Errorf("not done within %v", *limit))
	defer cancel()
	b := bench{runs: max(1, *runs), sizes: []int{10, 100, 1000}, groups: 10_000, crowd: 100, while: time.Second / 2, progress: os.Stderr}
	for _, t := range []struct {
		about string
		sides []side
	}{
		{aboutInMemory, inMemory},
		{aboutTCP, overTCP},
		{aboutLaden, []side{{"laden", ladenInProcess(b.groups)}, {"plain", startInProcess}}},
	} {
		b.sides = t.sides
		if err := report(ctx, os.Stdout, t.about, b); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// What each table is about.
const (
	aboutInMemory = `"in process" and "served" are joinsync, by function calls and by frames over kfake's in-memory network; kfake by the
same frames and network.`
	aboutTCP   = `"served" is joinsync, by frames over TCP on this machine; kfake by the same.`
	aboutLaden = `Both are joinsync in process. In "laden" each group also has committed offsets, and an open transaction with one more
for each: 10,000 in the group of the members, 10 in each of the many groups.`
)

// report measures, and writes what was measured on what.
func report(ctx context.Context, w io.Writer, about string, b bench) error {
	t, err := b.run(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `%s, %s/%s, %d cores, %s: medians of %d runs. No initial delay; heartbeats at once when a rebalance has
begun; bare: without what a member does by itself; ×: how many times as fast as %s.
%s

`, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), time.Now().Format(time.DateOnly), b.runs,
		t.sides[len(t.sides)-1], about); err != nil {
		return err
	}
	if err := t.print(w); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}
