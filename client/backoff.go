package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff grows from one failure to the next: base 2, 20 % jitter, from min to max (G-455).
type backoff struct {
	min, max time.Duration
	failures int
}

// next counts a failure and returns the pause after it.
func (b *backoff) next() time.Duration {
	pause := b.max
	if b.failures < 30 {
		pause = min(b.max, b.min<<b.failures)
	}
	b.failures++
	jitter := 0.8 + 0.4*rand.Float64()
	return min(b.max, time.Duration(float64(pause)*jitter))
}

// reset forgets the failures, after a success.
func (b *backoff) reset() { b.failures = 0 }

// sleep waits for d, or returns false as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
