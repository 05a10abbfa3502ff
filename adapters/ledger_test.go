package adapters_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

const partitions = 12

// A ledger knows which member of this process is at work on which partition of a group's topic, by what the members themselves
// say, and compares it with what the coordinator says, all the time.
type ledger struct {
	t           *testing.T
	addr        string
	group       string
	topic       string
	mu          sync.Mutex
	owner       map[int32]string // the client id
	version     int              // counts changes of owner
	seen        int              // version at the last comparison
	comparisons int
}

// keep opens the books of a new group, which is watched to the end of the test. Tests wait more than they work, so they do at once.
func keep(t *testing.T) *ledger {
	t.Helper()
	t.Parallel()
	broker := kafkatest.Start(t, kafkatest.V4_4_0)
	l := &ledger{t: t, addr: broker.Addr(), group: kafkatest.Name(t), topic: broker.CreateTopic(t, partitions), owner: map[int32]string{}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := kafkatest.AwaitGroup(ctx, l.addr, l.group, func(g kafkatest.Group) bool { l.compare(g); return false })
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

// take is told by a member that begins its work.
func (l *ledger) take(member string, list ...int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	for _, p := range list {
		if other := l.owner[p]; other != "" && other != member {
			l.t.Errorf("partition %d is owned by %s and by %s", p, other, member)
		}
		l.owner[p] = member
	}
}

// give is told by a member that has ended its work.
func (l *ledger) give(member string, list ...int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	for _, p := range list {
		if l.owner[p] == member {
			delete(l.owner, p)
		}
	}
}

// compare holds the members to a description, if they have not changed their minds while it was asked for. In a stable group who is
// assigned a partition may not have begun yet, but nobody else, of whatever process, may still be at work on it.
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
				l.t.Errorf("partition %d is assigned to %s and to %s", p, other, m.ClientID)
			}
			if other := l.owner[p]; other != "" && other != m.ClientID {
				l.t.Errorf("partition %d is assigned to %s while %s owns it", p, m.ClientID, other)
			}
			assigned[p] = m.ClientID
		}
	}
}

// await waits until the group is stable with these members by an assignor, each partition is assigned to one of them, and those of
// this process, which are all but java's, are at work on it.
func (l *ledger) await(assignor string, members ...string) kafkatest.Group {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	slices.Sort(members)
	g, err := kafkatest.AwaitGroup(ctx, l.addr, l.group, func(g kafkatest.Group) bool {
		return g.State == "Stable" && slices.Equal(clientIDs(g), members) && g.CheckAssignment(l.topic, partitions) == nil && l.agrees(g)
	})
	if err != nil {
		l.t.Fatalf("%v; at work are %v", err, l.owner)
	}
	if g.Protocol != assignor {
		l.t.Errorf("the group goes by %s", g.Protocol)
	}
	for _, m := range g.Members {
		if n := len(m.Assigned[l.topic]); n != partitions/len(members) && n != (partitions-1)/len(members)+1 {
			l.t.Errorf("%s owns %d of %d partitions in a group of %d", m.ClientID, n, partitions, len(members))
		}
	}
	return g
}

func (l *ledger) agrees(g kafkatest.Group) bool {
	want := map[int32]string{}
	for _, m := range g.Members {
		if !strings.HasPrefix(m.ClientID, "java") {
			for _, p := range m.Assigned[l.topic] {
				want[p] = m.ClientID
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Equal(l.owner, want)
}

func clientIDs(g kafkatest.Group) (ids []string) {
	for _, m := range g.Members {
		ids = append(ids, m.ClientID)
	}
	slices.Sort(ids)
	return ids
}

// name is what the nth member of a make calls itself.
func name(maker string, n int) string { return fmt.Sprintf("%s-%d", maker, n) }
