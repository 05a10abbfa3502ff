package group

import (
	"fmt"
	"runtime"
	"testing"
)

// crowd joins n members to a new group and returns it Stable, with their ids.
func crowd(b testing.TB, n int) (*Group, []string) {
	g := New("g", &Config{InitialRebalanceDelay: 3000, MaxSize: n, MaxPending: n})
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("client-%05d-8e1f2b7c-53f4-4b0e-9d43-0f4c8f1f4d0a", i)
	}
	metadata := []byte("the subscription of every member")
	assemble(b, g, ids, metadata)
	return g, ids
}

// assemble steps n joins with old versions, the initial delay, n syncs and the store's answers, as a caller does.
func assemble(b testing.TB, g *Group, ids []string, metadata []byte) {
	var out Output
	now, token := Time(1_000_000), Token(0)
	do := func(ev Event) {
		token++
		ev.Token = token
		out.Reset()
		g.Step(now, &ev, &out)
		if len(out.Records) > 0 {
			for i := range out.Records {
				g.Apply(&out.Records[i])
			}
			g.Step(now, &Event{Kind: Stored}, &out)
		}
	}
	for _, id := range ids {
		do(Event{
			Kind: Join, NewMemberID: id, ClientID: "client", ClientHost: "/10.0.0.1", ProtocolType: "consumer",
			Protocols: []Protocol{{"range", metadata}}, SessionTimeout: 45_000, RebalanceTimeout: 300_000,
		})
	}
	for g.State() == PreparingRebalance {
		now = g.NextDeadline()
		do(Event{Kind: Tick})
	}
	for _, id := range ids[1:] {
		do(Event{Kind: Sync, MemberID: id, Generation: 1})
	}
	given := make([]Assignment, len(ids))
	for i, id := range ids {
		given[i] = Assignment{id, metadata}
	}
	do(Event{Kind: Sync, MemberID: ids[0], Generation: 1, Assignments: given})
	if g.State() != Stable {
		b.Fatalf("the group is %s", g.State())
	}
}

func BenchmarkHeartbeat(b *testing.B) {
	g, ids := crowd(b, 1000)
	now := Time(1_010_000)
	var out Output
	ev := Event{Kind: Heartbeat, Generation: 1, Token: 1}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(ids) == 0 {
			now++
		}
		ev.MemberID = ids[i%len(ids)]
		out.Reset()
		g.Step(now, &ev, &out)
		if g.NextDeadline() < now || out.Replies[0].Error != None {
			b.Fatal("a member expired")
		}
	}
}

func TestHeartbeatAllocatesNothing(t *testing.T) {
	g, ids := crowd(t, 1000)
	now, i := Time(1_010_000), 0
	var out Output
	allocs := testing.AllocsPerRun(5000, func() {
		i++
		out.Reset()
		g.Step(now+Time(i), &Event{Kind: Heartbeat, Token: 1, MemberID: ids[i%len(ids)], Generation: 1}, &out)
		g.NextDeadline()
	})
	if allocs != 0 {
		t.Errorf("a heartbeat allocates %v times", allocs)
	}
}

func BenchmarkJoinAndSync(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, ids := crowd(b, n)
			metadata := []byte("the subscription of every member")
			b.ReportAllocs()
			for b.Loop() {
				g := New("g", &Config{InitialRebalanceDelay: 3000, MaxSize: n})
				assemble(b, g, ids, metadata)
			}
		})
	}
}

// A member's cost is that of its place in the group, beside its own id and metadata.
func BenchmarkMemory(b *testing.B) {
	const n = 10_000
	var perMember float64
	for b.Loop() {
		_, ids := crowd(b, n)
		before := heap()
		g := New("g", &Config{InitialRebalanceDelay: 3000, MaxSize: n})
		assemble(b, g, ids, []byte("the subscription of every member"))
		perMember = float64(heap()-before) / n
		runtime.KeepAlive(g)
		runtime.KeepAlive(ids)
	}
	b.ReportMetric(perMember, "B/member")
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
