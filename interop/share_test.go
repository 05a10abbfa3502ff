package interop_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// Two members of one make share the partitions, one leaves and the other has all, and who comes after both goes on where
// they have committed.
func TestTwoMembersOfEachClient(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(makes)) {
		t.Run(name, func(t *testing.T) {
			s, group := serve(t), "shop"
			first := makes[name](t, s.addr, group, "first")
			s.awaitMembers(group, 1)
			second := makes[name](t, s.addr, group, "second")
			for _, m := range s.awaitMembers(group, 2).Members {
				if len(m.Assigned[topic]) != 3 {
					t.Errorf("%s owns %v", m.ClientID, m.Assigned)
				}
				if m.Host != "/127.0.0.1" || m.ClientID != "first" && m.ClientID != "second" {
					t.Errorf("%+v", m)
				}
			}
			wantRead(t, s.produce(5), first, second)
			if err := second.leave(); err != nil {
				t.Fatal(err)
			}
			s.awaitMembers(group, 1)
			wantRead(t, s.produce(5), first)
			if err := first.leave(); err != nil {
				t.Fatal(err)
			}
			s.awaitMembers(group, 0)
			if got, want := s.committed(group), map[int32]int64{0: 10, 1: 10, 2: 10, 3: 10, 4: 10, 5: 10}; !maps.Equal(got, want) {
				t.Errorf("committed are %v, want %v", got, want)
			}

			later := s.produce(1)
			next := makes[name](t, s.addr, group, "next")
			err := next.await(deadline(t), func(read []string) bool { return len(read) >= len(later) })
			if err != nil {
				t.Fatal(err)
			}
			s.awaitMembers(group, 1)
			if err := next.await(deadline(t), func(read []string) bool { return slices.Equal(read, slices.Sorted(slices.Values(later))) }); err != nil {
				t.Errorf("what was committed is read again: %v", err)
			}
		})
	}
}

// Clients of four makes, whose assignors must understand each other, are one group.
func TestOneGroupOfAllClients(t *testing.T) {
	s, group := serve(t), "mixed"
	names := slices.Sorted(maps.Keys(makes))
	members := make(map[string]member)
	for i, name := range names {
		members[name] = makes[name](t, s.addr, group, name)
		s.awaitMembers(group, i+1)
	}
	described := s.awaitMembers(group, len(names))
	if described.Protocol != "range" || described.ProtocolType != "consumer" {
		t.Errorf("%+v", described)
	}
	if got := clientIDs(described); !slices.Equal(got, names) {
		t.Errorf("members %v, want %v", got, names)
	}
	for _, m := range described.Members {
		if n := len(m.Assigned[topic]); n < 1 || n > 2 {
			t.Errorf("%s owns %v", m.ClientID, m.Assigned)
		}
	}
	wantRead(t, s.produce(5), slices.Collect(maps.Values(members))...)
	for i, name := range names { // each leads or follows while another one leaves
		if err := members[name].leave(); err != nil {
			t.Fatal(err)
		}
		delete(members, name)
		left := s.awaitMembers(group, len(names)-i-1)
		if got := clientIDs(left); !slices.Equal(got, names[i+1:]) {
			t.Errorf("members %v, want %v", got, names[i+1:])
		}
		if len(members) > 0 {
			wantRead(t, s.produce(1), slices.Collect(maps.Values(members))...)
		}
	}
}

// wantRead waits until the members have read every value between them.
func wantRead(t *testing.T, values []string, members ...member) {
	t.Helper()
	var mu sync.Mutex
	missing := make(map[string]bool, len(values))
	for _, value := range values {
		missing[value] = true
	}
	ctx, enough := context.WithCancel(deadline(t))
	defer enough()
	var waits sync.WaitGroup
	for _, m := range members {
		waits.Go(func() {
			err := m.await(ctx, func(read []string) bool {
				mu.Lock()
				defer mu.Unlock()
				for _, value := range read {
					delete(missing, value)
				}
				if len(missing) == 0 {
					enough()
				}
				return len(missing) == 0
			})
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	waits.Wait()
	if len(missing) > 0 {
		t.Fatalf("%d values were not read, among them %v", len(missing), slices.Collect(maps.Keys(missing))[0])
	}
}

func clientIDs(g kafkatest.Group) (ids []string) {
	for _, m := range g.Members {
		ids = append(ids, m.ClientID)
	}
	slices.Sort(ids)
	return ids
}
