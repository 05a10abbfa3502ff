package adapters_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/examples/capacity"
	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

// The worked example of docs/assignors.md: members in Java and in Go share partitions by one assignor, written in both. Each of
// them leads from the first on, until it leaves or crashes, and then others do.
func TestByCapacityInJavaAndGo(t *testing.T) {
	t.Parallel()
	crew := []string{"java", "joinsync", "kgo"}
	for i, first := range crew {
		t.Run(first+" leads first", func(t *testing.T) {
			l := keep(t, "by-capacity")
			roll(l, append(slices.Clone(crew[i:]), crew[:i]...)...)
		})
	}
}

// Java's class and Go's make the same plan of groups at random: with instance ids, names that Java orders in its own way, and
// whatever members may say of their capacity.
func TestByCapacityPlansTheSameInJavaAndGo(t *testing.T) {
	kafkatest.Start(t, kafkatest.V4_4_0) // or this is skipped
	random := rand.New(rand.NewPCG(1, 2))
	var groups, plans []string
	for range 3000 {
		group, plan := drawGroup(t, random)
		groups, plans = append(groups, group), append(plans, plan)
	}
	file := filepath.Join(t.TempDir(), "groups")
	if err := os.WriteFile(file, []byte(strings.Join(groups, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := startJava(t, "Plans", file).Output(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	java := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if len(java) != len(plans) {
		t.Fatalf("Java makes %d plans of %d groups", len(java), len(plans))
	}
	for i := range plans {
		if java[i] != plans[i] {
			t.Fatalf("group %s\nJava %s\nGo   %s", groups[i], java[i], plans[i])
		}
	}
}

// drawGroup draws a group and makes its plan. The forms are those of java/Plans.java.
func drawGroup(t *testing.T, random *rand.Rand) (group, plan string) {
	t.Helper()
	var join assignor.Join
	var cluster assignor.Cluster
	var entries []string
	names := []string{"orders", "Orders", "bills", "bills.eu", "a", "\uffee", "\U0001f600"}
	for _, name := range names[:1+random.IntN(len(names))] {
		if n := random.IntN(9); n > 0 { // and others do not exist
			cluster.Topics = append(cluster.Topics, assignor.Topic{Name: name, Partitions: n})
			entries = append(entries, fmt.Sprint(name, ":", n))
		}
	}
	for m := range 1 + random.IntN(6) {
		s := protocol.NewSubscription()
		for _, name := range names {
			if random.IntN(2) > 0 {
				s.Topics = append(s.Topics, name)
			}
		}
		random.Shuffle(len(s.Topics), func(i, j int) { s.Topics[i], s.Topics[j] = s.Topics[j], s.Topics[i] })
		s.UserData = [][]byte{nil, {}, {1, 2}, {0}, {byte(random.Uint32())}, {byte(1 + random.IntN(3))}}[random.IntN(6)]
		joined := assignor.JoinedMember{ID: fmt.Sprint(names[random.IntN(len(names))], "-", m), Metadata: s.AppendTo(nil)}
		if random.IntN(3) == 0 {
			joined.InstanceID = fmt.Sprint(names[random.IntN(len(names))], "-", m)
		}
		join.Members = append(join.Members, joined)
		entries = append(entries, joined.ID+":"+joined.InstanceID+":"+hex.EncodeToString(joined.Metadata))
	}
	solved, err := assignor.Solve(t.Context(), capacity.ByCapacity(1), join, cluster)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for m, member := range solved.Problem().Members {
		var owned []string
		for topic, p := range solved.Partitions(m) {
			owned = append(owned, fmt.Sprint(solved.Problem().Topics[topic].Name, "-", p))
		}
		parts = append(parts, member.ID+":["+strings.Join(owned, ", ")+"]")
	}
	slices.SortFunc(parts, func(a, b string) int {
		return protocol.CompareJava(a[:strings.Index(a, ":")], b[:strings.Index(b, ":")])
	})
	return strings.Join(entries, " "), strings.Join(parts, " ")
}
