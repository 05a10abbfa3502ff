package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
)

// cases answers many.
func (f *assignFlags) cases(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	in, name, err := f.open(stdin)
	if err != nil {
		return &failure{err}
	}
	defer in.Close()
	var lines, bad int
	err = unlessInterrupted(ctx, func() (err error) {
		lines, bad, err = preview.Cases(ctx, in, stdout, func(name string) (assignor.Assignor, error) {
			if name == "" {
				name = f.assignor
			}
			if name == "" {
				return nil, errors.New("assignor is missing: use " + assignorNames() + ", or --assignor for all such lines")
			}
			a, err := assignorNamed(name)
			if err != nil {
				return nil, fmt.Errorf("assignor is %w", err)
			}
			return a, nil
		})
		return err
	})
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s: %d of %d lines got an error", name, bad, lines)
	}
	if err != nil {
		return &failure{err}
	}
	return nil
}

// show makes the plans and prints them.
func (f *assignFlags) show(ctx context.Context, stdout io.Writer, in *subject) error {
	names := []string{in.Assignor}
	if f.compare != "" {
		names = append(names, f.compare)
	}
	var plans []*preview.Solved
	var reports []*preview.Report
	for _, name := range names {
		a, err := assignorNamed(name)
		if err != nil {
			return &failure{fmt.Errorf("the input's assignor is %w", err)}
		}
		solved, err := preview.Solve(ctx, a, in.In)
		if err != nil {
			return &failure{err}
		}
		plans, reports = append(plans, solved), append(reports, solved.Report(in.limit))
	}
	if f.svg != "" {
		if err := f.draw(plans); err != nil {
			return &failure{err}
		}
	}
	if err := f.print(stdout, in, reports); err != nil {
		return &failure{err}
	}
	for _, r := range reports {
		if !r.Record.Fits() {
			return &failure{fmt.Errorf("with %s the group's record has %d bytes, more than the broker's limit of %d: raise "+
				"max.message.bytes of __consumer_offsets, or split the group", r.Assignor, r.Record.Bytes, r.Record.Limit)}
		}
	}
	return nil
}

// print prints the report.
func (f *assignFlags) print(stdout io.Writer, in *subject, reports []*preview.Report) error {
	if !f.json {
		if _, err := io.WriteString(stdout, in.heading(f.group)); err != nil {
			return err
		}
		return preview.Table(stdout, in.In, reports, f.all)
	}
	report := struct {
		Group string        `json:"group,omitempty"`
		In    *vector.Input `json:"in"`
		*preview.Report
		Compare *preview.Report `json:"compare,omitempty"`
	}{In: in.In, Report: reports[0]}
	if in.live != nil {
		report.Group = f.group
		report.Notes = append(in.live.Notes, report.Notes...)
	}
	if len(reports) > 1 {
		report.Compare = reports[1]
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}

// draw writes the drawing.
func (f *assignFlags) draw(plans []*preview.Solved) error {
	file, err := os.Create(f.svg)
	if err != nil {
		return fmt.Errorf("--svg: %w", err)
	}
	return errors.Join(preview.SVG(file, plans...), file.Close())
}
