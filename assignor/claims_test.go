package assignor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
	"pgregory.net/rapid"
)

// TestClaimsAreReadInAnyOrder draws claims of topics in order or not, with the same or other numbers of topics in between, more
// than once, of topics that the member does not subscribe to, and of topics that are not there.
func TestClaimsAreReadInAnyOrder(t *testing.T) {
	const existing, named, partitions = 13, 15, 2
	names := make([]string, named)
	var cluster assignor.Cluster
	for i := range names {
		names[i] = fmt.Sprintf("t%0*d", 2+i%2, i) // of two lengths
		if i < existing {
			cluster.Topics = append(cluster.Topics, assignor.Topic{Name: names[i], Partitions: partitions})
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "topics of a")
		others := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "topics of b")
		claimed := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "claimed")
		if rapid.Bool().Draw(t, "in order") {
			slices.Sort(claimed)
		}
		s := protocol.NewSubscription(own...)
		for _, topic := range claimed {
			list := rapid.SliceOfN(rapid.Int32Range(0, partitions-1), 0, 3).Draw(t, "partitions")
			s.Owned = append(s.Owned, protocol.TopicPartitions{Topic: topic, Partitions: list})
		}
		p := problemOf(t, assignor.Join{Members: []assignor.JoinedMember{
			joined("a", s.AppendTo(nil)), joined("b", subscription(nil, others...)),
		}}, cluster)
		var want []assignor.Claim
		for topic := range p.Topics {
			for q := range int32(partitions) {
				if slices.ContainsFunc(s.Owned, func(o protocol.TopicPartitions) bool {
					return o.Topic == p.Topics[topic].Name && slices.Contains(o.Partitions, q)
				}) {
					want = append(want, assignor.Claim{Topic: int32(topic), Partition: q})
				}
			}
		}
		if got := p.Members[0].Owned; !slices.Equal(got, want) {
			t.Fatalf("a subscribes to %q, b to %q; of %v the problem has %v, not %v", own, others, s.Owned, got, want)
		}
	})
}
