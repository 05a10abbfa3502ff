package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/offsets"
	"github.com/joinsync/joinsync/protocol"
)

// offsets tells an assignor the group's offsets. It takes no longer than a request may, and at most half of the time that the
// leader has, so that another assignor can still make a plan.
func (c *Consumer) offsets(ctx context.Context, topics []assignor.Topic) (all [][]assignor.Offsets, err error) {
	if c.cfg.Offsets != nil {
		return c.cfg.Offsets(ctx, topics)
	}
	patience := min(c.cfg.Member.RequestTimeout, c.cfg.Member.RebalanceTimeout/2)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	err = c.retry(ctx, func() error {
		all, err = offsets.Tell(ctx, c.member.Request, c.cfg.Member.Group, topics)
		var version *protocol.VersionError
		var code protocol.ErrorCode
		switch {
		case errors.As(err, &version) && version.Theirs == nil:
			return fmt.Errorf("%w: the coordinator keeps no log: give Config.Offsets, or use an assignor that does without (FallBack)", assignor.ErrNoOffsets)
		case err == nil || errors.As(err, &code) && !code.Retriable():
			return err
		}
		return again(err)
	})
	return all, err
}
