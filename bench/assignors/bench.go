package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/joinsync/joinsync/assignor"
)

// bench is what to measure, and how.
type bench struct {
	sides     []side
	workloads []workload
	rows      *regexp.Regexp // by letters and titles; nil for all
	limit     time.Duration  // of the first run of a cell
	while     time.Duration  // for which a cell is repeated
	javaWarm  time.Duration  // for which Java is warmed up
	memory    uint64         // bytes that a cell may use; 0: all there are
	all       bool           // run also what is slow for sure
	self      string         // this program
	folder    string         // for files
	progress  io.Writer

	failed bool // some cell
}

// A row is an assignor in one round of a workload, with a figure of each side.
type row struct {
	workload        workload
	assignor, round string
	figures         []figure
}

// title is what -rows picks by, after the letter of the workload and a space.
func (r row) title() string {
	if r.round == "" {
		return r.assignor
	}
	return r.assignor + ", " + r.round
}

// run measures row by row, and within a row one side after the other.
func (b *bench) run(ctx context.Context) (rows []row, err error) {
	for _, w := range b.workloads {
		slow := map[string]bool{} // sides that were cut off already
		for _, name := range []string{"range", "roundrobin", "sticky", "cooperative-sticky"} {
			some, err := b.runAssignor(ctx, w, name, slow)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
	}
	if b.failed {
		err = errFailures
	}
	return rows, err
}

// runAssignor measures an assignor in all rounds of a workload.
func (b *bench) runAssignor(ctx context.Context, w workload, name string, slow map[string]bool) (rows []row, err error) {
	for _, round := range roundsOf(name) {
		r := row{workload: w, assignor: name, round: round}
		if w.goal(name) > 0 && (b.rows == nil || b.rows.MatchString(w.letter+" "+r.title())) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	first, newcomer := w.input()
	group := rounds{first: first}
	if a, ok := ours[name].(assignor.UserDataAssignor); ok {
		if group, err = makeRounds(a, first, newcomer); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(b.progress, "%s (%s) %s\n", time.Now().Format(time.TimeOnly), w.letter, r.title())
		if err := b.runRow(ctx, r, group.join(r.round), slow); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func roundsOf(name string) []string {
	if _, ok := ours[name].(assignor.UserDataAssignor); ok {
		return stickyRounds
	}
	return []string{""}
}

// runRow measures all sides. One that was cut off in another row of the same workload is not asked again.
func (b *bench) runRow(ctx context.Context, r *row, in input, slow map[string]bool) error {
	file := filepath.Join(b.folder, "input")
	if err := in.write(file); err != nil {
		return err
	}
	defer os.Remove(file)
	for _, s := range b.sides {
		f := figure{none: "–"}
		if b.all || !slow[s.name] {
			f = b.runCell(ctx, s, r.assignor, &in, file)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			slow[s.name] = f.none != ""
		}
		r.figures = append(r.figures, f)
	}
	return nil
}
