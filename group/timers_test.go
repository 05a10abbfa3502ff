package group

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The heap against a list that is sorted anew each time.
func TestTimersFireLikeASortedList(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var ts timers
		all := make([]*timer, 40)
		for i := range all {
			all[i] = &timer{kind: timerKind(rng.IntN(4)), order: uint64(i)}
		}
		set := make(map[*timer]bool)
		now := Time(0)
		for step := range 2000 {
			switch u := all[rng.IntN(len(all))]; rng.IntN(4) {
			case 0, 1:
				ts.schedule(u, now+Time(rng.IntN(20)))
				set[u] = true
			case 2:
				ts.cancel(u)
				delete(set, u)
			case 3:
				now++
			}
			want := earliest(set)
			if at := ts.earliest(); want == nil && at != Never || want != nil && at > want.deadline {
				t.Fatalf("seed %d, step %d: looks at %d for %+v", seed, step, at, want)
			}
			if got := ts.first(); got != want {
				t.Fatalf("seed %d, step %d: fires %+v, want %+v", seed, step, got, want)
			}
			for want != nil && want.deadline <= now {
				ts.cancel(want)
				delete(set, want)
				want = earliest(set)
			}
		}
	}
}

// earliest is the timer that fires next: by deadline, kind and order.
func earliest(set map[*timer]bool) *timer {
	var list []*timer
	for u := range set {
		list = append(list, u)
	}
	if list == nil {
		return nil
	}
	return slices.MinFunc(list, func(a, b *timer) int {
		return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.kind, b.kind), cmp.Compare(a.order, b.order))
	})
}
