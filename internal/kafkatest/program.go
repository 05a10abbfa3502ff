package kafkatest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A Program is any other program that takes part in a test, in a process of its own that ends with the test at the
// latest. Its methods may be called concurrently.
type Program struct {
	// Stdout is what the program prints. The test reads it to its end.
	Stdout io.Reader

	name     string
	process  *process
	onSignal int // the exit status, besides 0, of a program that SIGTERM has ended in good order
}

// StartProgram starts a program; what it writes to standard error is shown if the test fails.
func StartProgram(t testing.TB, program string, args ...string) *Program {
	t.Helper()
	process, stdout, err := startPrinting("joinsync-program-", program, args...)
	if err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	p := &Program{Stdout: stdout, name: filepath.Base(program), process: process}
	t.Cleanup(func() {
		p.process.report(t, p.name)
		p.process.release()
	})
	return p
}

// StartJava starts a main class of the jars of a version, such as a worker of Connect, with a heap of heapMB. Version 3.9.2
// has Connect's connectors for files. Without Java or Maven, and with -short, the test is skipped.
func StartJava(t testing.TB, version Version, heapMB int, class string, args ...string) *Program {
	t.Helper()
	requireJars(t, version)
	java, jars, err := JavaAndJars(version)
	if err != nil {
		t.Fatalf("start %s: %v", class, err)
	}
	flags := append(slices.Clone(jvmFlags), fmt.Sprintf("-Xmx%dm", heapMB), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", jars, class)
	p := StartProgram(t, java, append(flags, args...)...)
	p.name, p.onSignal = class, 128+int(syscall.SIGTERM)
	return p
}

// Output reads what the program prints until it ends by itself. It is an error if that is not before ctx ends, or if the
// program does not exit with 0.
func (p *Program) Output(ctx context.Context) (string, error) {
	defer context.AfterFunc(ctx, p.Kill)()
	output, err := io.ReadAll(p.Stdout)
	<-p.process.done
	if err := cmp.Or(ctx.Err(), err, p.process.err); err != nil {
		return string(output), fmt.Errorf("%s: %w; it printed:\n%s\n%s", p.name, err, output, tail(p.process.log(), 20))
	}
	return string(output), nil
}

// Stop stops the program with SIGTERM and returns once it has ended. It is an error if it had to be killed after 20 s, or
// if it did not exit with 0, or as Java does then, with 143.
func (p *Program) Stop() error {
	if err := p.process.stop(stopGrace); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if p.process.err != nil && p.process.cmd.ProcessState.ExitCode() != p.onSignal {
		return fmt.Errorf("%s: %w", p.name, p.process.err)
	}
	return nil
}

// Kill ends the program with SIGKILL and returns once it has ended.
func (p *Program) Kill() { p.process.kill() }
