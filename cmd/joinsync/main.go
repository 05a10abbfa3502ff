// Command joinsync is group membership for Kafka from the command line: demo plays the life of a group in one process, join
// joins a group of any cluster, serve is a broker for clients of any kind, conform compares a broker with Kafka,
// assign shows what an assignor would do with a group.
//
// It exits with 0 when it has done what it was asked to, with 1 after an error or a difference, and with 2 when it was called wrongly.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	heedSecond(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, environment{}))
}

// sameSignal is how long after a signal another one is taken for the same: timeout(1) sends each twice, to the process and to
// its group, and a member that the second ended would not leave.
const sameSignal = 300 * time.Millisecond

// heedSecond lets a second signal end the program at once. ctx ends with the first; stop gives the next back to the system.
func heedSecond(ctx context.Context, stop func()) {
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
}

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// run is the whole program but for the process around it. The end of ctx is what a signal does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, environment environment) int {
	root := newRoot(environment)
	root.SetArgs(args)
	root.SetIn(environment.stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	called, err := root.ExecuteContextC(ctx)
	var failed *failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &failed):
		fmt.Fprintln(stderr, "joinsync:", err)
		return exitError
	default:
		fmt.Fprintf(stderr, "joinsync: %v\nTry '%s --help'.\n", err, called.CommandPath())
		return exitUsage
	}
}

// failure is an error of a command that was called rightly. Every other one is a matter of usage.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }
