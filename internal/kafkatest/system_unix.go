//go:build linux || darwin

package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// detached starts a child in a process group of its own, out of reach of a Ctrl-C in the terminal: its guard ends it.
var detached = &syscall.SysProcAttr{Setpgid: true}

// lockFile takes the exclusive lock of a file, which it creates, and returns what gives it back. The kernel gives it back
// when the holder dies, so a lock never has to be broken.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !pause(ctx, 50*time.Millisecond) {
			file.Close()
			return nil, fmt.Errorf("lock %s, which another process holds: %w", path, ctx.Err())
		}
	}
}
