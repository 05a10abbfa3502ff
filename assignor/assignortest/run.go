package assignortest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/joinsync/joinsync/assignor"
)

// solve has the assignor make its plan.
func (c *checker) solve(tr *trial) *fault {
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	plan, err := assignor.Run(ctx, c.a, tr.problem)
	if ctx.Err() != nil {
		c.stopped.Store(true)
		return &fault{check: ends, text: fmt.Sprintf("Assign has not come back after %v; it is not checked any further", c.patience)}
	}
	if err != nil {
		if f := unchanged(tr); f != nil {
			return f // which this may come of
		}
		return c.refused(err)
	}
	tr.plan = plan
	return nil
}

// refused says which check an error of assignor.Run belongs to.
func (c *checker) refused(err error) *fault {
	f := &fault{text: strings.TrimPrefix(err.Error(), fmt.Sprintf("assignor %q: ", c.name))}
	var panicked *assignor.PanicError
	switch {
	case errors.As(err, &panicked):
		f.check, f.text = noPanic, fmt.Sprintf("%v\n\tat %s", panicked.Value, origin(panicked.Stack))
	case errors.Is(err, assignor.ErrPartial):
		f.check = complete
	case errors.Is(err, assignor.ErrDoubled):
		f.check = disjoint
	case errors.Is(err, assignor.ErrForeign):
		f.check = subscribed
	case errors.Is(err, assignor.ErrUnknown):
		f.check = known
	case errors.Is(err, assignor.ErrTaken):
		f.check = handover
	default:
		f.check = noError
	}
	return f
}

// guard calls what is not called by assignor.Run, and keeps its panics away.
func (c *checker) guard(do func() *fault) *fault {
	done := make(chan *fault, 1)
	go func() {
		f := &fault{check: noPanic, text: "it ended its goroutine"}
		defer func() {
			if value := recover(); value != nil {
				f = &fault{check: noPanic, text: fmt.Sprintf("%v\n\tat %s", value, origin(debug.Stack()))}
			}
			done <- f
		}()
		f = do()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	select {
	case f := <-done:
		return f
	case <-ctx.Done():
		c.stopped.Store(true)
		return &fault{check: ends, text: fmt.Sprintf("UserData, OnAssignment, Name or Supports has not come back after %v", c.patience)}
	}
}

// origin is where a panic began: the frame after those of package runtime.
func origin(stack []byte) string {
	_, after, _ := strings.Cut(string(stack), "\npanic(")
	lines := strings.Split(after, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if !strings.HasPrefix(lines[i], "runtime.") && !strings.HasPrefix(lines[i], "panic(") {
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
			return place
		}
	}
	return "an unknown place"
}
