//go:build !linux && !darwin

package kafkatest

import (
	"context"
	"errors"
	"runtime"
	"syscall"
)

var detached *syscall.SysProcAttr

// lockFile is where a test learns that this system cannot run a broker: without the lock no jars, without jars no JVM.
func lockFile(context.Context, string) (func(), error) {
	return nil, errors.New("tests against kafka run on Linux and macOS, not on " + runtime.GOOS)
}
