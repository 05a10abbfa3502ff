package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// startup bounds what a cell does before its first run: reading its input, and in Java building a Cluster.
const startup = 2 * time.Minute

// A side makes the process of a cell.
type side struct {
	name    string
	command func(ctx context.Context, b *bench, assignor, in, out string) *exec.Cmd
}

// goSide is a side that this program has itself.
func goSide(name string) side {
	return side{name, func(ctx context.Context, b *bench, assignor, in, out string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, b.self, "cell", "-side", name, "-assignor", assignor, "-in", in, "-out", out,
			"-while", b.while.String(), "-memory", fmt.Sprint(b.memory))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		return cmd
	}}
}

// A figure is what a cell came to.
type figure struct {
	cpu   time.Duration // of one run
	heap  uint64        // bytes allocated by one run
	worth quality
	none  string // why there is none
}

// runCell runs one cell, at most for so long, and judges the plan.
func (b *bench) runCell(ctx context.Context, s side, assignor string, in *input, file string) figure {
	out := filepath.Join(b.folder, "plan")
	defer os.Remove(out)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := s.command(ctx, b, assignor, file, out)
	var said bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &said, time.Second
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return b.fail(s, err, "")
	}
	f, cut := b.listen(stdout, cancel)
	err = cmd.Wait()
	switch {
	case cut:
		return figure{none: fmt.Sprintf("> %v s", b.limit.Seconds())}
	case err != nil && outOfMemory(said.String()):
		return figure{none: fmt.Sprintf("> %d GB", b.memory>>30)}
	case err != nil:
		return b.fail(s, err, said.String())
	}
	plan, err := readPlan(out)
	if err == nil {
		f.worth, err = audit(in, assignor == "cooperative-sticky", plan)
	}
	if err != nil {
		return b.fail(s, err, "")
	}
	return f
}

// listen follows what a cell says, and cuts it off when it takes too long for its first run.
func (b *bench) listen(stdout io.Reader, cancel func()) (f figure, cut bool) {
	timer := time.AfterFunc(startup, cancel)
	lines := bufio.NewScanner(stdout)
	running := false
	for lines.Scan() {
		switch line := lines.Text(); line {
		case cellReady:
			timer.Reset(b.limit)
			running = true
		case cellRan:
			running = !timer.Stop()
		default:
			var cpu int64
			if n, _ := fmt.Sscanf(line+"\n", cellDone, &cpu, &f.heap); n == 2 {
				f.cpu = time.Duration(cpu)
			}
		}
	}
	return f, !timer.Stop() && running
}

// fail reports a cell that broke down, or whose plan is wrong; the others go on.
func (b *bench) fail(s side, err error, said string) figure {
	b.failed = true
	fmt.Fprintf(b.progress, "%s: %v\n%s\n", s.name, err, said)
	return figure{none: "failed"}
}

// outOfMemory tells whether a process ended for want of memory, by what it said.
func outOfMemory(said string) bool {
	return slices.ContainsFunc([]string{"runtime: out of memory", "runtime: cannot allocate memory", "OutOfMemoryError"},
		func(word string) bool { return strings.Contains(said, word) })
}

// errFailures is what a run with failed cells ends with.
var errFailures = errors.New("some cells failed: see above")
