package assignor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	inputs "github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
	"pgregory.net/rapid"
)

// eagerly is Standby in a group of eager members.
type eagerly struct{ assignor.Standby }

func (eagerly) Supports() assignor.RebalanceProtocol { return assignor.Eager }

// lively is a group that goes from one rebalance to the next.
type lively struct {
	rapid.TB
	a           assignor.Assignor
	in          inputs.Input
	generation  int32
	born        int
	owner       map[tp]string
	second      map[tp]string // as the members are told it
	coming      map[tp]string // who waits for it
	cooperative bool
}

func newLively(t rapid.TB, cooperative bool, parts ...int) *lively {
	g := &lively{TB: t, a: eagerly{}, cooperative: cooperative}
	if cooperative {
		g.a = assignor.Standby{}
	}
	for n, count := range parts {
		g.in.Topics = append(g.in.Topics, inputs.Topic{Name: fmt.Sprintf("t%d", n), Parts: count})
	}
	return g
}

// enter has a member join that takes all topics but some.
func (g *lively) enter(rack string, but ...int) {
	g.in.Members = append(g.in.Members, inputs.Member{ID: fmt.Sprintf("m%02d", g.born), Rack: rack})
	g.born++
	g.subscribe(len(g.in.Members)-1, but...)
}

// subscribe has a member take all topics but some. What it owns of these it gives up.
func (g *lively) subscribe(n int, but ...int) {
	m := &g.in.Members[n]
	m.Subs, m.Owned = []string{}, maps.Clone(m.Owned)
	for n, t := range g.in.Topics {
		if slices.Contains(but, n) {
			delete(m.Owned, t.Name)
		} else {
			m.Subs = append(m.Subs, t.Name)
		}
	}
}

func (g *lively) leave(n int) (gone string) {
	gone = g.in.Members[n].ID
	g.in.Members = slices.Delete(g.in.Members, n, n+1)
	return gone
}

// rebalance reports whether a member has lost something that it had not given up.
func (g *lively) rebalance() (again bool) {
	g.Helper()
	g.generation++
	join := g.in.Join(g.a)
	join.Generation = g.generation
	plan, err := assignor.Solve(context.Background(), g.a, join, g.in.Cluster())
	if err != nil {
		g.Fatal(err)
	}
	if notes := plan.Notes(); slices.ContainsFunc(notes, func(n assignor.Note) bool { return n.Member != "" }) {
		g.Fatalf("honest members are noted: %v", notes)
	}
	g.owner, g.second, g.coming = map[tp]string{}, map[tp]string{}, map[tp]string{}
	for n, member := range plan.Problem().Members {
		m := &g.in.Members[slices.IndexFunc(g.in.Members, func(m inputs.Member) bool { return m.ID == member.ID })]
		assignment, err := protocol.DecodeAssignment(plan.Append(nil, n))
		if err != nil {
			g.Fatal(err)
		}
		owned := map[string][]int32{}
		for _, list := range assignment.Partitions {
			owned[list.Topic] = list.Partitions
			for _, q := range list.Partitions {
				g.owner[tp{Topic: list.Topic, Partition: int(q)}] = m.ID
			}
		}
		for topic, list := range m.Owned {
			for _, q := range list {
				again = again || g.cooperative && !slices.Contains(owned[topic], q)
			}
		}
		m.Owned, m.Told, m.Generation = owned, assignment.UserData, &join.Generation
	}
	for t, topic := range plan.Problem().Topics {
		for q := range topic.Partitions {
			if plan.Withheld(t, q) {
				g.coming[tp{Topic: topic.Name, Partition: q}] = plan.Problem().Members[plan.Owner(t, q)].ID
			}
		}
	}
	g.readSeconds()
	return again
}

// readSeconds finds out who follows what: at most one member does that is not to be the owner.
func (g *lively) readSeconds() {
	g.Helper()
	waiting := map[tp]bool{}
	for _, m := range g.in.Members {
		followed, err := assignor.Standbys(m.Told)
		if err != nil {
			g.Fatal(err)
		}
		for _, list := range followed {
			for _, q := range list.Partitions {
				at := tp{Topic: list.Topic, Partition: int(q)}
				switch {
				case g.coming[at] == m.ID:
					waiting[at] = true
				case g.second[at] != "":
					g.Fatalf("%v is followed by %s and by %s", at, g.second[at], m.ID)
				default:
					g.second[at] = m.ID
				}
			}
		}
	}
	for at, m := range g.coming {
		if !waiting[at] {
			g.Fatalf("%s does not follow %v, which it is to own next", m, at)
		}
	}
}

// settle rebalances until nobody joins again, once more as if nothing had changed, by which seconds become even, and once more, by
// which nothing may change.
func (g *lively) settle() {
	g.Helper()
	hadOwner, hadSecond := g.owner, g.second
	if g.rebalance() {
		first := fmt.Sprint(g.second)
		if g.rebalance() {
			g.Fatal("the second rebalance did not end it")
		}
		if second := fmt.Sprint(g.second); first != second {
			g.Fatalf("seconds after one rebalance are %s, after two %s", first, second)
		}
	}
	g.wantSeconds()
	for at, owner := range g.owner {
		had := []string{hadOwner[at], hadSecond[at]}
		hasIt := func(id string) bool { return slices.Contains(had, id) }
		if !hasIt(owner) && !hasIt(g.second[at]) && slices.ContainsFunc(g.candidates(at), hasIt) {
			g.Fatalf("%v was at %v, and is at %s and %s", at, had, owner, g.second[at])
		}
	}
	owners := fmt.Sprint(g.owner)
	g.rebalance()
	g.wantSeconds()
	g.wantEven()
	seconds := fmt.Sprint(g.second)
	g.rebalance()
	if fmt.Sprint(g.owner) != owners || fmt.Sprint(g.second) != seconds {
		g.Fatalf("nothing has changed, but owners %s and seconds %s become %v and %v", owners, seconds, g.owner, g.second)
	}
}

func (g *lively) member(id string) inputs.Member {
	return g.in.Members[slices.IndexFunc(g.in.Members, func(m inputs.Member) bool { return m.ID == id })]
}

// candidates are who may be second of a partition.
func (g *lively) candidates(at tp) []string {
	var all, apart []string
	owner := g.member(g.owner[at])
	for _, m := range g.in.Members {
		if m.ID != owner.ID && slices.Contains(m.Subs, at.Topic) {
			all = append(all, m.ID)
			if owner.Rack == "" || m.Rack != owner.Rack {
				apart = append(apart, m.ID)
			}
		}
	}
	if len(apart) > 0 {
		return apart
	}
	return all
}

// wantSeconds checks that whoever may be second is, if there is anybody.
func (g *lively) wantSeconds() {
	g.Helper()
	for at, owner := range g.owner {
		candidates, second := g.candidates(at), g.second[at]
		if len(candidates) == 0 && second != "" || len(candidates) > 0 && !slices.Contains(candidates, second) {
			g.Fatalf("%v of %s has second %q, and these may be: %v", at, owner, second, candidates)
		}
	}
}

// wantEven checks how even seconds are.
func (g *lively) wantEven() {
	g.Helper()
	shares := map[string]map[string]int{} // by owner and subscribers, of each candidate
	for at, owner := range g.owner {
		batch := owner + " of what goes to"
		for _, m := range g.in.Members {
			if slices.Contains(m.Subs, at.Topic) {
				batch += " " + m.ID
			}
		}
		if shares[batch] == nil {
			shares[batch] = map[string]int{}
			for _, id := range g.candidates(at) {
				shares[batch][id] = 0
			}
		}
		if second := g.second[at]; second != "" {
			shares[batch][second]++
		}
	}
	for batch, share := range shares {
		if most(share)-least(share) > 1 {
			g.Fatalf("seconds of %s are %v", batch, share)
		}
	}
	if g.alike() {
		work := g.count(g.owner)
		for id, followed := range g.count(g.second) {
			work[id] += followed
		}
		if most(work)-least(work) > 2 {
			g.Fatalf("owned and followed are %v", work)
		}
	}
}

// alike reports whether all subscribe alike, and are in no racks.
func (g *lively) alike() bool {
	return !slices.ContainsFunc(g.in.Members, func(m inputs.Member) bool {
		return m.Rack != "" || !slices.Equal(m.Subs, g.in.Members[0].Subs)
	})
}

func (g *lively) count(of map[tp]string) map[string]int {
	counts := map[string]int{}
	for _, m := range g.in.Members {
		counts[m.ID] = 0
	}
	for _, id := range of {
		counts[id]++
	}
	return counts
}

func most(of map[string]int) (most int) {
	for _, n := range of {
		most = max(most, n)
	}
	return most
}

func least(of map[string]int) int {
	least := most(of)
	for _, n := range of {
		least = min(least, n)
	}
	return least
}

func TestEveryPartitionHasASecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 3).Draw(t, "partitions")
		racked, differ := rapid.Bool().Draw(t, "racks"), rapid.Bool().Draw(t, "they differ")
		g := newLively(t, rapid.Bool().Draw(t, "cooperative"), parts...)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			rack, but := "", []int(nil)
			if racked {
				rack = rapid.SampledFrom([]string{"", "a", "a", "b", "c"}).Draw(t, "rack")
			}
			if differ {
				but = []int{rapid.IntRange(0, 4).Draw(t, "but")}
			}
			switch n := len(g.in.Members); {
			case n > 0 && rapid.IntRange(0, 2).Draw(t, "one leaves") == 0:
				g.leave(rapid.IntRange(0, n-1).Draw(t, "who"))
			case n > 0 && differ && rapid.IntRange(0, 2).Draw(t, "one changes its mind") == 0:
				g.subscribe(rapid.IntRange(0, n-1).Draw(t, "who"), but...)
			case n < 7:
				for range rapid.IntRange(1, 3).Draw(t, "join") {
					g.enter(rack, but...)
				}
			}
			g.settle()
		}
	})
}

// TestSecondsTakeOver: whoever goes, all that it owned goes to the seconds as far as the others then have the same number or one
// more, and nothing else moves.
func TestSecondsTakeOver(t *testing.T) {
	all, warm := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := newLively(t, rapid.Bool().Draw(t, "cooperative"), rapid.SliceOfN(rapid.IntRange(1, 20), 1, 3).Draw(t, "partitions")...)
		for range rapid.IntRange(2, 8).Draw(t, "members") {
			g.enter("")
		}
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			if len(g.in.Members) < 2 {
				g.enter("")
			}
			g.settle()
			owner, second := g.owner, g.second
			gone := g.leave(rapid.IntRange(0, len(g.in.Members)-1).Draw(t, "who"))
			load, due := g.count(owner), map[string]int{}
			for at, id := range owner {
				if id == gone {
					due[second[at]]++
				}
			}
			delete(load, gone)
			g.settle()
			got, cold := 0, 0
			for at, id := range owner {
				switch now := g.owner[at]; {
				case id != gone && now != id:
					t.Fatalf("%s goes, and %v moves from %s to %s", gone, at, id, now)
				case id == gone && now == second[at]:
					got++
				case id == gone:
					cold++
				}
			}
			if want := takeable(load, due, len(owner), len(g.in.Members)); got < want {
				t.Fatalf("%s goes, %v are its seconds, the others own %v: %d partitions go to their seconds, and %d could",
					gone, due, load, got, want)
			}
			all, warm = all+got+cold, warm+got
			if rapid.Bool().Draw(t, "one joins") {
				g.enter("")
			}
		}
	})
	if warm*100 < all*95 {
		t.Errorf("%d of %d partitions go to their seconds", warm, all)
	}
}

func TestStandbyEndsWithItsContext(t *testing.T) {
	g := newLively(t, true, 4)
	g.enter("")
	g.enter("")
	problem, err := assignor.Decode(g.in.Join(g.a))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := problem.Problem(g.in.Cluster())
	if err != nil {
		t.Fatal(err)
	}
	if err := (assignor.Standby{}).Assign(ctx, p, assignor.NewPlan(p)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// takeable is how many partitions can go to their seconds, where these are due so many each.
func takeable(load, due map[string]int, partitions, members int) (sum int) {
	share, more := partitions/members, partitions%members
	wish := 0
	for id, d := range due {
		has := load[id]
		sum += min(d, max(0, share-has))
		if has <= share && has+d > share {
			wish++
		}
	}
	for _, has := range load {
		if has > share {
			more--
		}
	}
	return sum + min(more, wish)
}
