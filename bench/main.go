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
	limit := flag.Duration("limit", 3*time.Minute, "give up after this time")
	flag.Parse()
	ctx, cancel := context.WithTimeoutCause(context.Background(), *limit, fmt.Errorf("not done within %v", *limit))
	defer cancel()
	b := bench{
		sides: inMemory, runs: max(1, *runs), sizes: []int{10, 100, 1000}, groups: 10_000, crowd: 100,
		while: time.Second / 2, progress: os.Stderr,
	}
	for _, network := range []struct {
		name  string
		sides []side
	}{{"kfake's in-memory network", inMemory}, {"TCP on this machine", overTCP}} {
		b.sides = network.sides
		if err := report(ctx, os.Stdout, network.name, b); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// report measures, and writes what was measured on what.
func report(ctx context.Context, w io.Writer, network string, b bench) error {
	t, err := b.run(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `%s, %s/%s, %d cores, %s: medians of %d runs.
"in process" and "served" are joinsync, by function calls and by frames over %s; kfake by the same
frames and network. No initial delay; heartbeats at once when a rebalance has begun; bare: without what a member does by
itself; ×: how many times as fast as kfake.

`, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), time.Now().Format(time.DateOnly), b.runs, network); err != nil {
		return err
	}
	if err := t.print(w); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}
