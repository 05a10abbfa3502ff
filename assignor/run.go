package assignor

import (
	"context"
	"fmt"
	"runtime/debug"
)

// PanicError is the error of an assignor that panicked.
type PanicError struct {
	Assignor string
	Value    any    // what it panicked with
	Stack    []byte // where, as runtime/debug.Stack prints it
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("assignor %q panicked: %v: mend it, or take it out of the member's list of assignors", e.Assignor, e.Value)
}

// Unwrap gives the value that the assignor panicked with, where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Solve makes a plan of what a leader has in hand: [Decode], [Group.Problem] and [Run] in one.
func Solve(ctx context.Context, a Assignor, join Join, cluster Cluster) (*Plan, error) {
	group, err := Decode(join)
	if err != nil {
		return nil, err
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		return nil, err
	}
	return Run(ctx, a, problem)
}

// Run lets an assignor solve a problem and returns its plan, which is complete: each partition of the problem belongs to
// one member, and that one subscribes to its topic.
//
// Whatever the assignor does otherwise is an error that names it: its own error, wrapped; a panic ([PanicError]); a
// plan that is not complete (ErrPartial, ErrDoubled, ErrForeign, ErrUnknown), or of a cooperative assignor one that does not wait
// for owners to give up what moves (ErrTaken, G-501); and the context's error once ctx is done. An
// assignor that goes on after that is left behind: what it plans is thrown away.
func Run(ctx context.Context, a Assignor, p *Problem) (*Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("assignor %q: %w", a.Name(), err)
	}
	plan := NewPlan(p)
	done := make(chan error, 1)
	go func() {
		var err error
		returned := false
		defer func() {
			if !returned {
				err = panicked(a, recover())
			}
			done <- err
		}()
		err = solve(ctx, a, plan)
		returned = true
	}()
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return plan, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("assignor %q has not finished: %w", a.Name(), ctx.Err())
	}
}

// solve has the plan made, checked and made ready for concurrent readers.
func solve(ctx context.Context, a Assignor, plan *Plan) error {
	err := a.Assign(ctx, plan.problem, plan)
	if err == nil {
		err = plan.check()
	}
	if err == nil && !plan.settled && a.Supports().Has(Cooperative) {
		err = plan.checkTaken()
	}
	if err != nil {
		return fmt.Errorf("assignor %q: %w", a.Name(), err)
	}
	plan.index()
	return nil
}

// panicked is the error of an assignor that did not return. Without a value it has ended its goroutine, as a test's
// FailNow does; it has one of its own so that this does not end the caller's.
func panicked(a Assignor, value any) error {
	if value == nil {
		value = "it ended its goroutine"
	}
	return &PanicError{Assignor: a.Name(), Value: value, Stack: debug.Stack()}
}
