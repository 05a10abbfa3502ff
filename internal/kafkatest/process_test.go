package kafkatest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// doomed names the way in which TestDoomed is to end; it runs only in the processes that the next test starts.
const doomed = "JOINSYNC_KAFKATEST_DOOMED"

// However a test binary ends, what it started ends too. The program and the binary hold the writing end of one pipe, and
// nobody else does: its end means that both are gone.
func TestNoProcessOutlivesTheTestBinary(t *testing.T) {
	for _, way := range []string{"returns", "fails", "panics", "times out", "is killed"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "process")
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			timeout := "1m"
			if way == "times out" {
				timeout = "5s" // long enough for the program to come up on a busy machine
			}
			binary := exec.Command(os.Args[0], "-test.run=^TestDoomed$", "-test.timeout="+timeout)
			binary.Env = append(os.Environ(), doomed+"="+way, "FOLDER="+folder)
			binary.ExtraFiles = []*os.File{writer}
			if err := binary.Start(); err != nil {
				t.Fatal(err)
			}
			writer.Close()

			reader.SetReadDeadline(time.Now().Add(30 * time.Second))
			output := bufio.NewReader(reader)
			if line, err := output.ReadString('\n'); line != "up\n" {
				t.Fatalf("the program printed %q (%v)", line, err)
			}
			if way == "is killed" {
				binary.Process.Kill()
			}
			if _, err := io.Copy(io.Discard, output); err != nil {
				t.Errorf("someone is still alive: %v", err)
			}
			binary.Wait()
			awaitGone(t, folder)
		})
	}
}

func TestDoomed(t *testing.T) {
	way := os.Getenv(doomed)
	if way == "" {
		return
	}
	folder := os.Getenv("FOLDER")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := startProcess(folder, os.NewFile(3, "pipe"), "/bin/sh", "-c", "echo up; echo up >&2; exec sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	awaitLog(t, p, "up")
	switch way {
	case "fails":
		t.Fatal("as it should")
	case "panics":
		panic("as it should")
	case "times out", "is killed":
		select {}
	}
}

func TestAStubbornProcessIsKilled(t *testing.T) {
	p, output := startScript(t, `trap "" TERM; echo up; exec sleep 1000`)
	if _, err := output.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.stop(50 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("stop: %v", err)
	}
	if p.err == nil {
		t.Error("a killed process ended well")
	}
	p.release()
	awaitGone(t, p.folder)
}

func TestAProcessMayEndOnItsOwnAtSIGTERM(t *testing.T) {
	p, output := startScript(t, `trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.01; done`)
	if _, err := output.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.stop(30 * time.Second); err != nil {
		t.Error(err)
	}
	if line, _ := output.ReadString('\n'); line != "bye\n" {
		t.Errorf("its last words are %q", line)
	}
	p.release()
	awaitGone(t, p.folder)
}

func TestAKeptLogOutlivesItsProcess(t *testing.T) {
	p, _ := startScript(t, `mkdir data; echo why >&2; exec sleep 1000`)
	awaitLog(t, p, "why")
	path := p.keepLog()
	p.release()
	awaitGone(t, filepath.Join(p.folder, "data"))
	if text, err := os.ReadFile(path); string(text) != "why\n" {
		t.Errorf("the log is %q (%v)", text, err)
	}
}

func startScript(t *testing.T, script string) (*process, *bufio.Reader) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "process")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	defer writer.Close()
	p, err := startProcess(folder, writer, "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.release)
	reader.SetReadDeadline(time.Now().Add(30 * time.Second))
	return p, bufio.NewReader(reader)
}

// awaitLog waits until a process has written a text to its log.
func awaitLog(t *testing.T, p *process, text string) {
	t.Helper()
	for start := time.Now(); !strings.Contains(p.log(), text); {
		if time.Since(start) > 30*time.Second || !pause(t.Context(), 10*time.Millisecond) {
			t.Fatalf("no %q in the log: %q", text, p.log())
		}
	}
}

// awaitGone waits until a guard has removed a folder.
func awaitGone(t *testing.T, path string) {
	t.Helper()
	for start := time.Now(); ; {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
		if time.Since(start) > 30*time.Second || !pause(t.Context(), 10*time.Millisecond) {
			t.Fatalf("%s is still there", path)
		}
	}
}
