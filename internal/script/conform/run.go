package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/joinsync/joinsync/internal/script"
)

// A Result is what has become of one script. At most one of Skipped, Differences and Err is set; if none is, the broker agrees.
type Result struct {
	Script      *script.Script
	Took        time.Duration
	Skipped     string // why it was not run
	Differences script.Differences
	Err         error // why it did not come to its end
}

// Run runs the scripts, several at a time, and those that want the broker for themselves at the end, one by one. It hands in each
// result as it comes, one after the other. When ctx ends it ends the scripts that are under way; of these, and of those that
// have not begun, there is no result.
func (b *Broker) Run(ctx context.Context, scripts []*script.Script, report func(Result)) {
	var reports sync.Mutex
	run := func(number int, s *script.Script) {
		r, ended := b.run(ctx, number, s)
		if !ended {
			return
		}
		reports.Lock()
		defer reports.Unlock()
		report(r)
	}
	var running sync.WaitGroup
	places := make(chan struct{}, b.cfg.Parallel)
	for i, s := range scripts {
		if s.Alone() == "" {
			places <- struct{}{}
			running.Go(func() {
				run(i, s)
				<-places
			})
		}
	}
	running.Wait()
	for i, s := range scripts {
		if s.Alone() != "" {
			run(i, s)
		}
	}
}

// run runs one script. It is not ended if ctx was.
func (b *Broker) run(ctx context.Context, number int, s *script.Script) (r Result, ended bool) {
	limit := fmt.Errorf("it has not come to its end within %v", b.cfg.ScriptTimeout)
	limited, cancel := context.WithTimeoutCause(ctx, b.cfg.ScriptTimeout, limit)
	defer cancel()
	began := time.Now()
	err := s.Run(limited, script.Backend{
		Name: b.like, Patience: b.cfg.Patience, AnyMemberID: !showsMemberIDs(s),
		Start: func(s *script.Script) (script.Target, error) {
			if unfit := b.fit(s); unfit != nil {
				return nil, unfit
			}
			return &target{b.socket(fmt.Sprintf("%s%d-", b.prefix, number)), b}, nil
		},
	})
	if ctx.Err() != nil {
		return r, false
	}
	r = Result{Script: s, Took: time.Since(began)}
	if unfit, ok := errors.AsType[*script.Unfit](err); ok {
		r.Skipped = unfit.Reason
	} else if differences, ok := errors.AsType[script.Differences](err); ok {
		r.Differences = differences
	} else {
		r.Err = err
	}
	return r, true
}

// showsMemberIDs reports whether a script is about the form of member ids. All others would say nothing else of a broker that
// gives out ids of its own form.
func showsMemberIDs(s *script.Script) bool {
	return slices.ContainsFunc(strings.Fields(s.Rules()), func(rule string) bool { return rule == "G-017" || rule == "G-018" })
}
