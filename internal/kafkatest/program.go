package kafkatest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A Program is any other program that takes part in a test, in a process of its own that ends with the test at the
// latest. Its methods may be called concurrently.
type Program struct {
	// Stdout is what the program prints. The test reads it to its end.
	Stdout io.Reader

	name    string
	process *process
}

// StartProgram starts a program; what it writes to standard error is shown if the test fails.
func StartProgram(t testing.TB, program string, args ...string) *Program {
	t.Helper()
	p, err := startProgram(program, args)
	if err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	t.Cleanup(func() {
		p.process.report(t, p.name)
		p.process.release()
	})
	return p
}

func startProgram(program string, args []string) (*Program, error) {
	folder, err := os.MkdirTemp("", "joinsync-program-")
	if err != nil {
		return nil, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	process, err := startProcess(folder, stdout, program, args...)
	if err != nil {
		output.Close()
		return nil, err
	}
	return &Program{Stdout: output, name: filepath.Base(program), process: process}, nil
}

// Stop stops the program with SIGTERM and returns once it has ended. It is an error if it had to be killed after 20 s, or
// if it did not exit with 0.
func (p *Program) Stop() error {
	if err := p.process.stop(stopGrace); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if p.process.err != nil {
		return fmt.Errorf("%s: %w", p.name, p.process.err)
	}
	return nil
}

// Kill ends the program with SIGKILL and returns once it has ended.
func (p *Program) Kill() { p.process.kill() }
