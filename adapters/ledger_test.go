package adapters_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

const partitions = 12

// A ledger knows which member is at work on which partition of a group's topic, by what the members themselves say (books). A
// partition that one takes while another one has it is an error at once. It also compares, all the time, what the members say
// with what the coordinator says.
type ledger struct {
	t        *testing.T
	broker   string
	group    string
	topic    string
	assignor string
	listener net.Listener
	began    time.Time

	mu          sync.Mutex
	workers     map[string]*worker // by client id, those that have not ended
	owner       map[int32]string   // the client id
	leader      string             // who has led last
	version     int                // counts entries
	seen        int                // version at the last comparison
	comparisons int
	entries     []string // for the reader of a failed test
	faults      []string
}

// openLedger opens a ledger that serves its members to the end of the test.
func openLedger(t *testing.T) *ledger {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{t: t, listener: listener, began: time.Now(), workers: map[string]*worker{}, owner: map[int32]string{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { l.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
		for _, fault := range l.faults {
			t.Error(fault)
		}
		if t.Failed() {
			t.Logf("the books:\n%s", strings.Join(l.entries, "\n"))
		}
	})
	return l
}

// keep opens the books of a new group, which is watched to the end of the test. Tests wait more than they work, so they do at
// once.
func keep(t *testing.T, assignor string) *ledger {
	t.Helper()
	t.Parallel()
	broker := kafkatest.Start(t, kafkatest.V4_4_0)
	l := openLedger(t)
	l.broker, l.group, l.topic, l.assignor = broker.Addr(), kafkatest.Name(t), broker.CreateTopic(t, partitions), assignor
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := kafkatest.AwaitGroup(ctx, l.broker, l.group, func(g kafkatest.Group) bool { l.compare(g); return false })
		if ctx.Err() == nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		if l.comparisons == 0 {
			t.Error("what the members own was never compared with what the coordinator says")
		}
	})
	return l
}

// enroll expects a member.
func (l *ledger) enroll(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.workers[w.name] = w
}

// leads returns the member that has led last; nil if it has ended.
func (l *ledger) leads() *worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.workers[l.leader]
}

// serve makes the entries of one member, until it has ended.
func (l *ledger) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	if !lines.Scan() {
		return
	}
	name := lines.Text()
	_, _ = fmt.Fprintln(conn, "ok")
	for lines.Scan() {
		l.enter(name, strings.Fields(lines.Text()))
		_, _ = fmt.Fprintln(conn, "ok")
	}
	l.end(name)
}

// enter makes one entry.
func (l *ledger) enter(name string, entry []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	l.entries = append(l.entries, fmt.Sprintf("%8.3fs %s: %s", time.Since(l.began).Seconds(), name, strings.Join(entry, " ")))
	if entry[0] == "lead" {
		l.leader = name
	}
	for _, field := range entry[1:] {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			l.fault("%s: %v", name, err)
			return
		}
		p := int32(n)
		switch other := l.owner[p]; {
		case entry[0] == "take" && other != "" && other != name:
			l.fault("partition %d is owned by %s and by %s", p, other, name)
			fallthrough
		case entry[0] == "take":
			l.owner[p] = name
		case other == name:
			delete(l.owner, p)
		}
	}
}

// fault keeps what is wrong. The caller holds the lock.
func (l *ledger) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf("%8.3fs ", time.Since(l.began).Seconds())+fmt.Sprintf(format, args...))
}

// end is the end of a member. What it owned is free, but only who is killed ends so.
func (l *ledger) end(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	l.entries = append(l.entries, fmt.Sprintf("%8.3fs %s: ends", time.Since(l.began).Seconds(), name))
	w := l.workers[name]
	delete(l.workers, name)
	for p, owner := range l.owner {
		if owner == name {
			delete(l.owner, p)
			if !w.killed {
				l.fault("%s ends, and has partition %d", name, p)
			}
		}
	}
	close(w.gone)
}

// compare holds the members to a description, if none has made an entry while it was asked for. In a stable group who is assigned
// a partition may not have begun yet, but nobody else may still be at work on it.
func (l *ledger) compare(g kafkatest.Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	unchanged := l.seen == l.version
	l.seen = l.version
	if g.State != "Stable" || !unchanged {
		return
	}
	l.comparisons++
	assigned := map[int32]string{}
	for _, m := range g.Members {
		for _, p := range m.Assigned[l.topic] {
			if other := assigned[p]; other != "" {
				l.fault("partition %d is assigned to %s and to %s", p, other, m.ClientID)
			}
			if other := l.owner[p]; other != "" && other != m.ClientID {
				l.fault("partition %d is assigned to %s while %s owns it", p, m.ClientID, other)
			}
			assigned[p] = m.ClientID
		}
	}
}

// await waits until the group is stable with the members that have been started and not ended, and each partition is assigned to
// one of them, who is at work on it. Then it holds the group to the plan that it has to have.
func (l *ledger) await() {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	g, err := kafkatest.AwaitGroup(ctx, l.broker, l.group, func(g kafkatest.Group) bool {
		return g.State == "Stable" && l.agrees(g) && g.CheckAssignment(l.topic, partitions) == nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	if g.Protocol != l.assignor {
		l.t.Errorf("the group goes by %s", g.Protocol)
	}
	want := l.plan(g)
	for _, m := range g.Members {
		got := m.Assigned[l.topic]
		if l.assignor == "cooperative-sticky" { // depends on the past
			if n := len(got); n != partitions/len(g.Members) && n != (partitions-1)/len(g.Members)+1 {
				l.t.Errorf("%s owns %d of %d partitions in a group of %d", m.ClientID, n, partitions, len(g.Members))
			}
		} else if !slices.Equal(got, want[m.MemberID]) {
			l.t.Errorf("%s leads, and %s owns %v, not %v", l.leader, m.ClientID, got, want[m.MemberID])
		}
	}
}

// agrees reports whether the members of a description are those that were started, and at work on what it says.
func (l *ledger) agrees(g kafkatest.Group) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	owner := map[int32]string{}
	for _, m := range g.Members {
		if l.workers[m.ClientID] == nil {
			return false
		}
		for _, p := range m.Assigned[l.topic] {
			owner[p] = m.ClientID
		}
	}
	return len(g.Members) == len(l.workers) && maps.Equal(l.owner, owner)
}

// plan is the one of our assignor for the members of a description, by member id: whoever leads, it has to come to the same.
func (l *ledger) plan(g kafkatest.Group) map[string][]int32 {
	l.t.Helper()
	var join assignor.Join
	for _, m := range g.Members {
		maker, _, _ := strings.Cut(m.ClientID, "-")
		s := protocol.NewSubscription(l.topic)
		if a, ok := assignors(capacities[maker])[l.assignor].(assignor.UserDataAssignor); ok {
			s.UserData = a.UserData(assignor.Assignment{Generation: -1})
		}
		join.Members = append(join.Members, assignor.JoinedMember{ID: m.MemberID, InstanceID: m.InstanceID, Metadata: s.AppendTo(nil)})
	}
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: l.topic, Partitions: partitions}}}
	plan, err := assignor.Solve(l.t.Context(), assignors(1)[l.assignor], join, cluster)
	if err != nil {
		l.t.Fatal(err)
	}
	all := map[string][]int32{}
	for m, member := range plan.Problem().Members {
		for _, p := range plan.Partitions(m) {
			all[member.ID] = append(all[member.ID], int32(p))
		}
	}
	return all
}
