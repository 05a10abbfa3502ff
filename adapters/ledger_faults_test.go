package adapters_test

import (
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// What the group tests look for, they find: the ledger sees each of these.
func TestTheLedgerSeesWhatIsWrong(t *testing.T) {
	l := openLedger(t)
	l.topic = "t"
	open := map[string]*books{}
	var gone chan struct{} // the last one's
	for _, name := range []string{"java-1", "kgo-2", "kgo-1"} {
		gone = make(chan struct{})
		l.enroll(&worker{name: name, gone: gone})
		b, err := openBooks(l.listener.Addr().String(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.conn.Close() })
		open[name] = b
	}
	sees := func(fault string) {
		t.Helper()
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.faults) != 1 || !strings.HasSuffix(l.faults[0], fault) {
			t.Errorf("it sees %q, want %s", l.faults, fault)
		}
		l.faults = nil
	}
	group := func(assigned map[string][]int32) {
		g := kafkatest.Group{State: "Stable"}
		for name, list := range assigned {
			g.Members = append(g.Members, kafkatest.GroupMember{ClientID: name, Assigned: map[string][]int32{"t": list}})
		}
		l.compare(g) // which makes it look at this once more
		l.compare(g)
	}

	open["java-1"].take(0, 1, 2)
	open["java-1"].give(2)
	open["kgo-1"].take(2, 3)
	group(map[string][]int32{"java-1": {0, 1}, "kgo-1": {2, 3}})
	open["kgo-2"].give(0) // which it does not have
	open["kgo-2"].take(1)
	sees("partition 1 is owned by java-1 and by kgo-2")
	open["kgo-2"].give(1)
	open["java-1"].take(1)
	group(map[string][]int32{"java-1": {0}, "kgo-2": {1}})
	sees("partition 1 is assigned to kgo-2 while java-1 owns it")
	open["java-1"].give(0, 1)
	open["kgo-1"].give(3)

	_ = open["kgo-1"].conn.Close()
	<-gone
	sees("kgo-1 ends, and has partition 2")
}
