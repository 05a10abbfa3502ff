package adapters_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// A worker is a member's process, as the test sees it.
type worker struct {
	ledger  *ledger
	maker   string
	name    string // its client id
	program *kafkatest.Program
	gone    chan struct{} // closed when the ledger knows that it has ended
	killed  bool          // guarded by the ledger's lock
}

// javaClasses are the assignors of Java by their protocol's name.
var javaClasses = map[string]string{
	"range":              "org.apache.kafka.clients.consumer.RangeAssignor",
	"cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
	"by-capacity":        "ByCapacityAssignor",
}

// start starts the nth member of a make.
func (l *ledger) start(maker string, n int) *worker {
	l.t.Helper()
	w := &worker{ledger: l, maker: maker, name: fmt.Sprintf("%s-%d", maker, n), gone: make(chan struct{})}
	if maker == "joinsync" {
		w.name = maker // it is static: Kafka goes on to show the client id that it came with first
	}
	l.enroll(w)
	able := fmt.Sprint(capacities[maker])
	if maker == "java" {
		w.program = startJava(l.t, "Member", l.listener.Addr().String(), l.broker, l.topic,
			"group.id="+l.group, "client.id="+w.name, "group.protocol=classic", "enable.auto.commit=false",
			"heartbeat.interval.ms="+fmt.Sprint(heartbeat.Milliseconds()), "session.timeout.ms="+fmt.Sprint(session.Milliseconds()),
			"partition.assignment.strategy=Leading", "leading="+javaClasses[l.assignor], "capacity="+able)
	} else {
		w.program = kafkatest.StartProgram(l.t, os.Args[0], "member",
			maker, l.assignor, able, l.listener.Addr().String(), l.broker, l.group, l.topic, w.name)
	}
	l.t.Cleanup(w.kill)
	go func() { _, _ = io.Copy(io.Discard, w.program.Stdout) }()
	return w
}

// instance is the instance id of a member with this client id: only ours are static.
func instance(clientID string) string {
	if strings.HasPrefix(clientID, "joinsync") {
		return clientID
	}
	return ""
}

// leave has the member end as its users would have it.
func (w *worker) leave() {
	w.ledger.t.Helper()
	if err := w.program.Stop(); err != nil {
		w.ledger.t.Errorf("%s: %v", w.name, err)
	}
	<-w.gone
}

// crash ends the member at once. Nobody is told, until its session expires.
func (w *worker) crash() {
	w.kill()
	<-w.gone
}

func (w *worker) kill() {
	w.ledger.mu.Lock()
	w.killed = true
	w.ledger.mu.Unlock()
	w.program.Kill()
}
