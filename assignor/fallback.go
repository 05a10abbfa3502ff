package assignor

import (
	"context"
	"fmt"
	"time"
)

// FallBack makes an assignor that goes by first, and by second where first has no plan: it returned an error, it panicked, or its
// plan was not complete. The plan's notes then tell why. To the group it is first: by its name, its members' user data, and what
// it does on an assignment. It supports what both do.
func FallBack(first, second Assignor) Assignor { return fallBack{first, second} }

type fallBack struct{ first, second Assignor }

// Name is that of the first.
func (f fallBack) Name() string { return f.first.Name() }

// Supports returns what both do.
func (f fallBack) Supports() RebalanceProtocol { return f.first.Supports() & f.second.Supports() }

// UserData is that of the first.
func (f fallBack) UserData(last Assignment) []byte {
	if a, ok := f.first.(UserDataAssignor); ok {
		return a.UserData(last)
	}
	return nil
}

// OnAssignment tells the first.
func (f fallBack) OnAssignment(a Assignment) (bool, time.Duration) {
	if l, ok := f.first.(AssignmentListener); ok {
		return l.OnAssignment(a)
	}
	return false, 0
}

// Assign makes the plan.
func (f fallBack) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	first, err := Run(ctx, f.first, p)
	if err == nil {
		plan.Adopt(first)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	plan.Note(Note{Text: fmt.Sprintf("%v: the plan is made by %q", err, f.second.Name())})
	return f.second.Assign(ctx, p, plan)
}
