package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// The rounds of a group in which a sticky assignor is timed: a new group, the same one when nothing has changed since, when the
// member in the middle has left, and when one more has joined.
var stickyRounds = []string{"fresh", "steady", "one leaves", "one joins"}

// rounds are the joins of a group of which a sticky assignor keeps its plans.
type rounds struct {
	first, second input // in the second nothing has changed
	newcomer      assignor.JoinedMember
}

// makeRounds makes the rounds after a first one. What the members own in them is the plan of our assignor, for all sides.
func makeRounds(a assignor.UserDataAssignor, first input, newcomer assignor.JoinedMember) (rounds, error) {
	plan, err := solve(a, &first)
	if err != nil {
		return rounds{}, err
	}
	second, err := claiming(a, first, plan)
	for t := range first.topics {
		for q := range first.topics[t].Partitions {
			second.owner = append(second.owner, int32(plan.Owner(t, q)))
		}
	}
	return rounds{first, second, newcomer}, err
}

// join is the input of a round.
func (r rounds) join(round string) input {
	again := r.second
	switch gone := len(again.members) / 2; round {
	case "", "fresh":
		return r.first
	case "one leaves":
		again.members = slices.Concat(again.members[:gone], again.members[gone+1:])
		again.owner = slices.Clone(again.owner)
		for i, m := range again.owner {
			switch {
			case m == int32(gone):
				again.owner[i] = nobody
			case m > int32(gone):
				again.owner[i]--
			}
		}
	case "one joins":
		again.members = append(slices.Clone(again.members), r.newcomer)
	}
	return again
}

// solve decodes and assigns.
func solve(a assignor.Assignor, in *input) (*assignor.Plan, error) {
	group, err := assignor.Decode(assignor.Join{Generation: in.generation, Members: in.members})
	if err != nil {
		return nil, err
	}
	problem, err := group.Problem(assignor.Cluster{Topics: in.topics})
	if err != nil {
		return nil, err
	}
	return assignor.Run(context.Background(), a, problem)
}

// claiming is a first join as its members join again, with what the plan sends them.
func claiming(a assignor.UserDataAssignor, first input, plan *assignor.Plan) (input, error) {
	again := input{topics: first.topics, generation: first.generation + 1, members: slices.Clone(first.members)}
	for i := range again.members {
		member := &again.members[i]
		if sorted := plan.Problem().Members[i].ID; sorted != member.ID {
			return again, fmt.Errorf("member %q is not in the order of the problem, which has %q", member.ID, sorted)
		}
		assignment, err := protocol.DecodeAssignment(plan.Append(nil, i))
		if err != nil {
			return again, err
		}
		s, err := protocol.DecodeSubscription(member.Metadata)
		if err != nil {
			return again, err
		}
		s.Generation, s.UserData = first.generation, a.UserData(assignor.Assignment{Generation: first.generation, Partitions: assignment.Partitions})
		if a.Supports().Has(assignor.Cooperative) {
			s.Owned = assignment.Partitions
		}
		member.Metadata = s.AppendTo(nil)
	}
	return again, nil
}
