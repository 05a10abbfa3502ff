package assignor_test

import (
	"context"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// input is what an assignor has to solve, in the form of the vectors.
type input vector.Input

type (
	inputTopic  = vector.Topic
	inputMember = vector.Member
)

func (in input) String() string { return (*vector.Input)(&in).String() }

// join is the members as their leader gets them, none of which owns anything.
func (in input) join() assignor.Join { return in.joinAs(assignor.Range{}) }

// joinAs is the members with what they own, as those of an assignor send it: sticky ones in their user data, cooperative ones
// in the subscription.
func (in input) joinAs(a assignor.Assignor) assignor.Join { return (*vector.Input)(&in).Join(a) }

func (in input) cluster() assignor.Cluster { return (*vector.Input)(&in).Cluster() }

// fataler is the part of testing.TB that rapid.T has too.
type fataler interface {
	Context() context.Context
	Helper()
	Fatalf(format string, args ...any)
}

// problemOf takes members and topics to the problem.
func problemOf(t fataler, join assignor.Join, cluster assignor.Cluster) *assignor.Problem {
	t.Helper()
	group, err := assignor.Decode(join)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		t.Fatalf("Problem: %v", err)
	}
	return problem
}

// topics is a cluster of topics without racks, each with so many partitions: topics("t0", 3, "t1", 5).
func topics(namesAndPartitions ...any) assignor.Cluster {
	var c assignor.Cluster
	for i := 0; i < len(namesAndPartitions); i += 2 {
		c.Topics = append(c.Topics, assignor.Topic{
			Name:       namesAndPartitions[i].(string),
			Partitions: namesAndPartitions[i+1].(int),
		})
	}
	return c
}

// solve takes members and topics the whole way, and returns what each member would be sent, by names.
func solve(t fataler, a assignor.Assignor, join assignor.Join, cluster assignor.Cluster) map[string]map[string][]int {
	t.Helper()
	plan, err := assignor.Run(context.Background(), a, problemOf(t, join, cluster))
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return sent(t, plan)
}

// sent decodes what each member would be sent, by names.
func sent(t fataler, plan *assignor.Plan) map[string]map[string][]int {
	t.Helper()
	out := map[string]map[string][]int{}
	for m, member := range plan.Problem().Members {
		bytes := plan.Append(nil, m)
		if len(bytes) != plan.Size(m) {
			t.Fatalf("member %q: Size says %d, Append appended %d bytes", member.ID, plan.Size(m), len(bytes))
		}
		decoded, err := protocol.DecodeAssignment(bytes)
		if err != nil {
			t.Fatalf("member %q: %v", member.ID, err)
		}
		out[member.ID] = map[string][]int{}
		for _, tp := range decoded.Partitions {
			for _, q := range tp.Partitions {
				out[member.ID][tp.Topic] = append(out[member.ID][tp.Topic], int(q))
			}
		}
	}
	return out
}
