package preview

import (
	"context"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// Partitions are partitions by topic, each topic's ascending; a topic without any is not there.
type Partitions map[string][]int32

// Solved is an input with an assignor's plan.
type Solved struct {
	in   *vector.Input
	by   assignor.Assignor
	plan *assignor.Plan
}

// Solve has an assignor make its plan. An error is the assignor's.
func Solve(ctx context.Context, a assignor.Assignor, in *vector.Input) (*Solved, error) {
	group, err := assignor.Decode(in.Join(a))
	if err != nil {
		return nil, err
	}
	problem, err := group.Problem(in.Cluster())
	if err != nil {
		return nil, err
	}
	plan, err := assignor.Run(ctx, a, problem)
	if err != nil {
		return nil, err
	}
	return &Solved{in: in, by: a, plan: plan}, nil
}

// Out is what each member is sent, by member id: every member is there.
func (s *Solved) Out() map[string]Partitions { return s.collect(false) }

// Pre is what each member is meant to have in the end: of a cooperative assignor with what is withheld, because others still
// hold it (KIP-429). Of any other it is nil.
func (s *Solved) Pre() map[string]Partitions {
	if !s.by.Supports().Has(assignor.Cooperative) {
		return nil
	}
	return s.collect(true)
}

func (s *Solved) collect(withheld bool) map[string]Partitions {
	p := s.plan.Problem()
	of := make([]Partitions, len(p.Members))
	byID := make(map[string]Partitions, len(p.Members))
	for m := range of {
		of[m] = Partitions{}
		byID[p.Members[m].ID] = of[m]
	}
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			if withheld || !s.plan.Withheld(t, q) {
				mine := of[s.plan.Owner(t, q)]
				mine[topic.Name] = append(mine[topic.Name], int32(q))
			}
		}
	}
	return byID
}
