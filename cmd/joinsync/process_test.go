package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/internal/timeline"
)

// asCommand makes the test binary be joinsync itself.
const asCommand = "JOINSYNC_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A process is a joinsync join in a process of its own, with --json. Its methods may be called concurrently.
type process struct {
	*kafkatest.Program

	mu       sync.Mutex
	memberID string
	leader   string
	assigned timeline.Partitions
	owned    timeline.Partitions // nil while it owns nothing
	log      []string
}

// startJoin runs joinsync join. It ends with the test at the latest.
func startJoin(t *testing.T, clientID string, args ...string) *process {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append([]string{asCommand + "=1", executable, "join", "--client-id", clientID, "--json"}, args...)
	p := &process{Program: kafkatest.StartProgram(t, "/usr/bin/env", command...)}
	go p.follow()
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if t.Failed() {
			t.Logf("%s said\n%s", clientID, p.log)
		}
	})
	return p
}

// follow keeps what the process says of itself.
func (p *process) follow() {
	lines := bufio.NewScanner(p.Stdout)
	for lines.Scan() {
		var e timeline.Event
		err := json.Unmarshal(lines.Bytes(), &e)
		p.mu.Lock()
		p.log = append(p.log, lines.Text()+"\n")
		switch {
		case err != nil:
			p.log = append(p.log, err.Error()+"\n")
		case e.Kind == timeline.Assigned:
			p.memberID, p.assigned = e.MemberID, e.Partitions
		case e.Kind == timeline.Generation: // the last word on a join
			p.leader, p.owned = e.Leader, p.assigned
		case e.Kind == timeline.Released:
			p.owned = nil
		}
		p.mu.Unlock()
	}
}

// standing is what the process last said.
func (p *process) standing() (memberID, leader string, owned timeline.Partitions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.memberID, p.leader, p.owned
}
