package assignortest

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// partition is one by name.
type partition struct {
	topic  string
	number int
}

func (p partition) String() string { return fmt.Sprintf("%s-%d", p.topic, p.number) }

// given says to whom a plan gives a partition.
type given struct {
	member   string
	withheld bool
}

// A trial is an input that was taken the whole way.
type trial struct {
	in      *vector.Input
	join    assignor.Join
	problem *assignor.Problem
	fresh   *assignor.Problem // the same, as the assignor has not seen it
	plan    *assignor.Plan
	owners  map[partition]given
	sent    map[string][]byte             // to each member, by id
	got     map[string]map[string][]int32 // by each member, from that: by topic
	told    map[string][]byte             // and as user data
}

// attempt lets the members of an input join, and the assignor solve what comes of it.
func (c *checker) attempt(in *vector.Input) (*trial, *fault) {
	tr := &trial{in: in}
	f := c.guard(func() *fault {
		tr.join = in.Join(c.a) // which calls UserData
		for i := range in.Members {
			tr.join.Generation = max(tr.join.Generation, in.Members[i].Since()+1)
		}
		return nil
	})
	if f == nil {
		tr.problem, f = problemOf(tr.join, clusterOf(in))
	}
	if f == nil {
		tr.fresh, f = problemOf(tr.join, clusterOf(in))
	}
	if f == nil {
		f = c.solve(tr)
	}
	if f == nil {
		f = unchanged(tr)
	}
	if f == nil {
		f = tr.send()
	}
	return tr, f.on(in)
}

// on adds the input to a fault that has none.
func (f *fault) on(in *vector.Input) *fault {
	if f != nil && f.in == nil {
		f.in = in
	}
	return f
}

// problemOf is what a leader makes of a join, from bytes of its own: the problem refers to them.
func problemOf(join assignor.Join, cluster assignor.Cluster) (*assignor.Problem, *fault) {
	members := make([]assignor.JoinedMember, len(join.Members))
	for i, m := range join.Members {
		m.Metadata = bytes.Clone(m.Metadata)
		members[i] = m
	}
	join.Members = members
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, &fault{check: readable, text: err.Error()}
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		return nil, &fault{check: readable, text: err.Error()}
	}
	return problem, nil
}

// partitions yields the problem's partitions by name, with the index of the topic.
func (tr *trial) partitions() iter.Seq2[partition, int] {
	return func(yield func(partition, int) bool) {
		for t, topic := range tr.problem.Topics {
			for q := range topic.Partitions {
				if !yield(partition{topic.Name, q}, t) {
					return
				}
			}
		}
	}
}

// send encodes the plan, decodes it as the members do, and compares.
func (tr *trial) send() *fault {
	tr.owners, tr.sent, tr.got, tr.told = map[partition]given{}, map[string][]byte{}, map[string]map[string][]int32{}, map[string][]byte{}
	for p, t := range tr.partitions() {
		tr.owners[p] = given{tr.problem.Members[tr.plan.Owner(t, p.number)].ID, tr.plan.Withheld(t, p.number)}
	}
	seen := map[partition]bool{}
	for m, member := range tr.problem.Members {
		tr.sent[member.ID] = tr.plan.Append(nil, m)
		assignment, err := protocol.DecodeAssignment(tr.sent[member.ID])
		if err != nil {
			return &fault{check: complete, text: fmt.Sprintf("member %s cannot read its assignment: %v", member.ID, err)}
		}
		tr.got[member.ID], tr.told[member.ID] = map[string][]int32{}, assignment.UserData
		for _, list := range assignment.Partitions {
			tr.got[member.ID][list.Topic] = list.Partitions
			for _, q := range list.Partitions {
				p := partition{list.Topic, int(q)}
				if tr.owners[p] != (given{member: member.ID}) || seen[p] {
					return &fault{check: disjoint, text: fmt.Sprintf("member %s is sent %v, which is not planned for it", member.ID, p)}
				}
				seen[p] = true
			}
		}
	}
	for p := range tr.partitions() {
		if g := tr.owners[p]; !g.withheld && !seen[p] {
			return &fault{check: complete, text: fmt.Sprintf("%v is planned for member %s and not sent to it", p, g.member)}
		}
	}
	return nil
}
