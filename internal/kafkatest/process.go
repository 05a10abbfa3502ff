package kafkatest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// guardScript becomes the program named by its arguments, after it has left a guard behind: a subshell that reads standard
// input. When input ends the guard kills the program, unless a line came first: that line says that the program has ended,
// and its process id may be someone else's by now. Then it removes the folder "$0"; one that holds a file named keep loses
// only its subfolder data.
const guardScript = `
exec 3<&0 </dev/null
program=$$
(
	if read -r ended <&3; then cat <&3; else kill -9 "$program"; sleep 1; fi
	if [ -e "$0/keep" ]; then rm -rf "$0/data"; else rm -rf "$0"; fi
) >/dev/null 2>&1 &
exec "$@" 3<&-
`

// logName is the file in a process's folder that takes its standard error.
const logName = "log.txt"

// A process is a program with a folder of its own that cannot outlive the test binary.
type process struct {
	folder string
	pid    int
	cmd    *exec.Cmd
	guard  *os.File      // the only writing end of the guard's pipe
	done   chan struct{} // closed once the program has ended and err is set
	err    error
}

// startPrinting starts a program in a new folder, whose name begins with prefix, and returns what it prints, to be read to
// its end.
func startPrinting(prefix, program string, args ...string) (*process, *os.File, error) {
	folder, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, nil, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer stdout.Close()
	p, err := startProcess(folder, stdout, program, args...)
	if err != nil {
		output.Close()
		return nil, nil, err
	}
	return p, output, nil
}

// startProcess starts a program in folder, which is removed after release. Standard output goes to stdout, or into the log
// if that is nil.
func startProcess(folder string, stdout *os.File, program string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(folder, logName))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if stdout == nil {
		stdout = log
	}
	stdin, guard, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, folder, program}, args...)...)
	cmd.Dir, cmd.SysProcAttr = folder, detached
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, log
	if err := cmd.Start(); err != nil {
		guard.Close()
		return nil, err
	}
	p := &process{folder: folder, pid: cmd.Process.Pid, cmd: cmd, guard: guard, done: make(chan struct{})}
	go p.reap()
	return p, nil
}

// reap waits for the program's end and tells the guard.
func (p *process) reap() {
	p.err = p.cmd.Wait()
	fmt.Fprintln(p.guard, "ended")
	close(p.done)
}

// release kills the program, if it still runs, and gives up its folder. It may be called again.
func (p *process) release() {
	p.kill()
	p.guard.Close()
}

// stop asks the program to end with SIGTERM, and kills it when grace is over, which is an error. It returns once the
// program has ended.
func (p *process) stop(grace time.Duration) error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
		p.kill()
		return fmt.Errorf("process %d did not end within %v of SIGTERM and was killed", p.pid, grace)
	}
}

// kill ends the program with SIGKILL and returns once it has ended.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// keepLog lets the log outlive the process, and returns its path.
func (p *process) keepLog() string {
	os.WriteFile(filepath.Join(p.folder, "keep"), nil, 0o644)
	return filepath.Join(p.folder, logName)
}

// log returns what the log holds by now.
func (p *process) log() string {
	text, err := os.ReadFile(filepath.Join(p.folder, logName))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// report shows the reader of a failed test what the process had to say.
func (p *process) report(t testing.TB, name string) {
	t.Helper()
	if t.Failed() {
		t.Logf("%s keeps its log in %s; it ends with:\n%s", name, p.keepLog(), tail(p.log(), 20))
	}
}
