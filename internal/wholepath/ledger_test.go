package wholepath_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
)

// ledger holds what the workers say against each other: who owns what in which generation, and how far each partition
// was committed. What cannot be true fails the test.
type ledger struct {
	t *testing.T

	mu      sync.Mutex
	owners  map[claim]string  // member id
	last    map[string]int32  // last generation in which the member was assigned
	latest  int32             // the last generation in which anybody was assigned
	acked   map[int32]int64   // by partition: the last offset whose commit was answered without an error
	doubted map[int32][]int64 // offsets of commits of which nobody knows yet what became of them
	commits int
	clock   clock
	history []porcupine.Operation // commits and fetches
}

// claim is one partition in one generation.
type claim struct{ generation, partition int32 }

func newLedger(t *testing.T) *ledger {
	return &ledger{
		t: t, owners: make(map[claim]string), last: make(map[string]int32),
		acked: make(map[int32]int64), doubted: make(map[int32][]int64),
	}
}

// assigned notes what a member was given: the same again, if it joined again in a generation that goes on (G-064). A
// static member is the same owner under whatever member id.
func (l *ledger) assigned(g client.Generation, instance string, partitions []consumer.TopicPartition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := l.last[g.MemberID]; g.ID < last {
		l.t.Errorf("member %s was assigned generation %d after generation %d", g.MemberID, g.ID, last)
	}
	l.last[g.MemberID] = g.ID
	l.latest = max(l.latest, g.ID)
	who := cmp.Or(instance, g.MemberID)
	for _, partition := range partitions {
		c := claim{g.ID, partition.Partition}
		if owner, taken := l.owners[c]; taken && owner != who {
			l.t.Errorf("generation %d: %v is owned by %s and by %s", g.ID, partition, owner, who)
		}
		l.owners[c] = who
	}
}

// committing notes that offset is about to be committed: from now on it may be seen.
func (l *ledger) committing(partition int32, offset int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubted[partition] = append(l.doubted[partition], offset)
}

// committed notes that a commit was answered without an error: from now on nothing lower may be seen.
func (l *ledger) committed(partition int32, offset, began int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noteLocked(access{partition, true, offset}, began, l.clock.now())
	l.settleLocked(partition, offset)
	l.acked[partition] = max(l.acked[partition], offset)
	l.commits++
}

// committedSoFar returns how many offsets were committed.
func (l *ledger) committedSoFar() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commits
}

// lost notes that nobody knows what became of a commit.
func (l *ledger) lost(partition int32, offset, began int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noteLocked(access{partition, true, offset}, began, never)
}

func (l *ledger) noteLocked(a access, began, ended int64) {
	l.history = append(l.history, porcupine.Operation{Input: a, Call: began, Return: ended})
}

// refused notes that a commit was answered with an error that says that nothing came of it: it may not be seen.
func (l *ledger) refused(partition int32, offset int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settleLocked(partition, offset)
}

func (l *ledger) settleLocked(partition int32, offset int64) {
	if i := slices.Index(l.doubted[partition], offset); i >= 0 {
		l.doubted[partition] = slices.Delete(l.doubted[partition], i, i+1)
	}
}

// floor returns what must at least be seen by who asks from now on.
func (l *ledger) floor(partition int32) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acked[partition]
}

// seen checks an offset that who was told, who had begun to ask when floor was the least to be seen.
func (l *ledger) seen(who string, partition int32, floor, offset, began int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noteLocked(access{partition, false, offset}, began, l.clock.now())
	if offset < floor {
		l.t.Errorf("%s is told offset %d of partition %d, but %d was committed before it asked", who, offset, partition, floor)
	}
	if offset > l.acked[partition] && !slices.Contains(l.doubted[partition], offset) {
		l.t.Errorf("%s is told offset %d of partition %d, which nobody has committed", who, offset, partition)
	}
}

// generation returns the last one in which anybody was assigned.
func (l *ledger) generation() int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest
}

// answered checks that a request of an old generation was not granted: latest is the one in which somebody was assigned
// before the request arrived.
func (l *ledger) answered(latest int32, req kmsg.Request, resp kmsg.Response) {
	switch resp := resp.(type) {
	case *kmsg.OffsetCommitResponse:
		l.fenced(latest, req.(*kmsg.OffsetCommitRequest).Generation, "OffsetCommit", resp.Topics[0].Partitions[0].ErrorCode)
	case *kmsg.SyncGroupResponse:
		l.fenced(latest, req.(*kmsg.SyncGroupRequest).Generation, "SyncGroup", resp.ErrorCode)
	}
}

func (l *ledger) fenced(latest, sent int32, api string, code int16) {
	if code == 0 && sent < latest {
		l.t.Errorf("%s of generation %d was granted, although members had been assigned in generation %d", api, sent, latest)
	}
}
