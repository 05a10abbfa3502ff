package assignor_test

import (
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"pgregory.net/rapid"
)

// shareOf counts the partitions of a topic that are planned for each member.
func shareOf(plan *assignor.Plan, topic int) []int {
	share := make([]int, len(plan.Problem().Members))
	for q := range plan.Problem().Topics[topic].Partitions {
		share[plan.Owner(topic, q)]++
	}
	return share
}

// TestNewGroupsSpreadEveryTopic: where all subscribe alike, no member gets two more of a topic than another one.
func TestNewGroupsSpreadEveryTopic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		for i := range in.Members {
			in.Members[i].Subs, in.Members[i].Rack = drawnTopics, ""
		}
		for _, a := range sticky {
			plan := in.plan(t, a)
			for n := range plan.Problem().Topics {
				least, most := in.Topics[0].Parts+1000, 0
				for _, count := range shareOf(plan, n) {
					least, most = min(least, count), max(most, count)
				}
				if most > least+1 {
					t.Fatalf("members get %v of a topic, in %v", shareOf(plan, n), in)
				}
			}
		}
	})
}

// TestSpreadWhereSubscriptionsDiffer: about as many of a topic go to each of its subscribers, as far as balance lets them; and
// who joins gets some of many topics, not all of few.
func TestSpreadWhereSubscriptionsDiffer(t *testing.T) {
	for _, w := range []workload{
		{"all", 100, 100, 100, allTopics, 0},              // 1 of each
		{"random half", 100, 100, 100, randomHalf, 0},     // about 2
		{"all or a fifth", 100, 100, 100, allOrAFifth, 0}, // 2, but for the first fifth of the topics none to half of the members
		{"windows", 100, 100, 100, windowOfATenth, 0},     // 10
		{"racks", 100, 100, 100, allTopics, 3},            // 1, with more or less of those in its rack
	} {
		for _, a := range sticky {
			rounds, cluster := stickyRounds(t, a, w)
			plan := lead(t, a, rounds["fresh"], cluster)
			for n := range plan.Problem().Topics {
				for m, count := range shareOf(plan, n) {
					if ideal := 100 / len(plan.Problem().Subscribers(n)); count > 2*ideal+2 {
						t.Errorf("%s, %s: member %d gets %d of topic %d", a.Name(), w.name, m, count, n)
					}
				}
			}
			plan = lead(t, a, rounds["joins"], cluster)
			for n := range plan.Problem().Topics {
				if count := shareOf(plan, n)[w.members]; count > 15 {
					t.Errorf("%s, %s: the new member gets %d of topic %d", a.Name(), w.name, count, n)
				}
			}
		}
	}
}
