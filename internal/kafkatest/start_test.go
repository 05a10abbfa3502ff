package kafkatest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestAFailedStartShowsTheLog(t *testing.T) {
	requireJars(t, V4_4_0)
	_, err := start(newConfig(V4_4_0, []Option{With("group.min.session.timeout.ms", "soon")}))
	if err == nil {
		t.Fatal("a broker started with a time-out that is no number")
	}
	for _, want := range []string{"start kafka 4.4.0", "group.min.session.timeout.ms", "soon"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestALostPortIsRecognised(t *testing.T) {
	for version, pick := range map[Version]func(*ports) *string{
		V4_4_0: func(p *ports) *string { return &p.plain },
		V3_9_2: func(p *ports) *string { return &p.controller },
	} {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			requireJars(t, version)
			occupied, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer occupied.Close()
			ports, err := freePorts()
			if err != nil {
				t.Fatal(err)
			}
			*pick(&ports) = occupied.Addr().String()
			if _, err := startOnce(newConfig(version, nil), ports); !errors.Is(err, errPortTaken) {
				t.Errorf("start on an occupied port: %v", err)
			}
		})
	}
}

func TestOneOfManyHoldsTheLockOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			unlock, err := lockFile(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if count := inside.Add(1); count != 1 {
				t.Errorf("%d hold it at once", count)
			}
			runtime.Gosched()
			inside.Add(-1)
		})
	}
	group.Wait()
}

func TestWaitingForALockEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := lockFile(ctx, path); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("lock twice: %v", err)
	}
}

// A folder of jars is there as a whole or not at all.
func TestAFailedFetchLeavesNoJars(t *testing.T) {
	bin, cache := t.TempDir(), t.TempDir()
	maven := "#!/bin/sh\nmkdir lib; echo half > lib/kafka.jar; echo no route to the repository; exit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(maven), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("JOINSYNC_KAFKA_CACHE", cache)
	_, err := classpath("9.9.9")
	if err == nil || !strings.Contains(err.Error(), "9.9.9") || !strings.Contains(err.Error(), "no route to the repository") {
		t.Errorf("fetch: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != folder("9.9.9")+".lock" {
		t.Errorf("left in the cache: %v (%v)", left, err)
	}
}

func TestJavaMajor(t *testing.T) {
	for output, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`openjdk version "25" 2025-09-16`:      25,
		`java version "1.8.0_412"`:             8,
	} {
		if got, err := javaMajor(output); err != nil || got != want {
			t.Errorf("javaMajor(%q) = %d, %v; want %d", output, got, err, want)
		}
	}
	if _, err := javaMajor("command not found"); err == nil {
		t.Error("a version in no version")
	}
}

func TestParseRecordRefusesWhatIsNoRecord(t *testing.T) {
	got, err := parseRecord("Partition:3\tOffset:12\ta\tvalue")
	if want := (Record{Partition: 3, Offset: 12, Value: "a\tvalue"}); err != nil || got != want {
		t.Errorf("parseRecord = %+v, %v; want %+v", got, err, want)
	}
	for _, line := range []string{"", "hello", "Partition:x\tOffset:1\tv", "Partition:1\tOffset:\tv"} {
		if _, err := parseRecord(line); err == nil {
			t.Errorf("parseRecord(%q) is no error", line)
		}
	}
}
