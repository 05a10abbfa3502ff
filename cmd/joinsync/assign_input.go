package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/preview"
)

// A subject is a group to make a plan for.
type subject struct {
	preview.Case
	live  *preview.Live // nil if it is from a file
	limit int
}

// heading says what the group is, where the table does not.
func (s *subject) heading(group string) string {
	if s.live == nil {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "group %s, which shares by %s now\n", group, s.live.Protocol)
	for _, note := range s.live.Notes {
		fmt.Fprintf(&text, "note: %s\n", note)
	}
	text.WriteByte('\n')
	return text.String()
}

// read gets the subject from where the flags say.
func (f *assignFlags) read(ctx context.Context, stdin io.Reader) (*subject, error) {
	s := &subject{limit: preview.DefaultLimit}
	var err error
	if f.live() {
		if s.live, err = f.fetch(ctx); err == nil {
			s.In, s.limit = s.live.In, s.live.Limit
		}
	} else {
		err = unlessInterrupted(ctx, func() (err error) {
			s.Case, err = f.readFile(stdin)
			return err
		})
	}
	if f.limit > 0 {
		s.limit = f.limit
	}
	return s, err
}

// fetch asks the cluster.
func (f *assignFlags) fetch(ctx context.Context) (*preview.Live, error) {
	opts, err := f.connection.options()
	if err != nil {
		return nil, err
	}
	if f.environment.dial != nil {
		opts = append(opts, kgo.Dialer(f.environment.dial))
	}
	if err := reach(ctx, f.bootstrap[0], f.patience, opts); err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(append(opts, kgo.ClientID("joinsync-assign"))...)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, f.patience, fmt.Errorf("no answer within --patience, which is %v", f.patience))
	defer cancel()
	live, err := preview.Fetch(ctx, cl, f.group)
	if err == nil && f.byLag() {
		err = live.FetchLag(ctx, cl, f.group)
	}
	if err != nil && ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	return live, err
}

// byLag reports whether an assignor is asked for that goes by lag.
func (f *assignFlags) byLag() bool {
	return slices.ContainsFunc([]string{f.assignor, f.compare}, func(name string) bool {
		a, _ := assignorNamed(name)
		_, lags := a.(assignor.LagAware)
		return lags
	})
}

// open opens the file, or standard input, and says what it is called.
func (f *assignFlags) open(stdin io.Reader) (io.ReadCloser, string, error) {
	if f.file == "" || f.file == "-" {
		return io.NopCloser(stdin), "standard input", nil
	}
	file, err := os.Open(f.file)
	return file, f.file, err
}

// readFile reads the file, or standard input.
func (f *assignFlags) readFile(stdin io.Reader) (preview.Case, error) {
	in, name, err := f.open(stdin)
	if err != nil {
		return preview.Case{}, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, preview.MaxInput+1))
	switch {
	case err != nil:
		return preview.Case{}, err
	case len(data) > preview.MaxInput:
		return preview.Case{}, fmt.Errorf("%s: it has more than %d MiB: use --jsonl for many cases", name, preview.MaxInput>>20)
	}
	return preview.Read(name, data)
}

// unlessInterrupted does what may wait for somebody's input, and leaves it behind if ctx ends.
func unlessInterrupted(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
