package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/joinsync/joinsync/client"
)

// transient is an error that passes if the same request is sent again.
type transient struct{ error }

// again marks an error of a session as transient, unless no retry mends it.
func again(err error) error {
	if client.Permanent(err) || errors.Is(err, client.ErrClosed) {
		return err
	}
	return transient{err}
}

// retry calls try until it returns no transient error or ctx ends, with growing pauses in between (G-518).
func (c *Consumer) retry(ctx context.Context, try func() error) error {
	pause := c.cfg.Member.RetryBackoff
	for {
		err := try()
		var passing transient
		if !errors.As(err, &passing) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-c.member.Done():
			timer.Stop()
			return errors.Join(client.ErrClosed, passing.error)
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w; last failure: %w", context.Cause(ctx), passing.error)
		}
		pause = min(2*pause, c.cfg.Member.RetryBackoffMax)
	}
}
