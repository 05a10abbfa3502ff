package kafkatest

import (
	"bytes"
	"context"
	"time"
)

// pause waits for d and reports whether ctx is still alive after it. What runs in other processes can only be asked
// again after a while.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// tail returns the last n lines of a text.
func tail(text []byte, n int) []byte {
	text = bytes.TrimRight(text, "\n")
	at := len(text)
	for ; n > 0 && at >= 0; n-- {
		at = bytes.LastIndexByte(text[:at], '\n')
	}
	return text[max(at+1, 0):]
}
