package consumer

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
)

// PerformAssignment shares the partitions out as the leader (G-498 to G-504).
func (r *role) PerformAssignment(ctx context.Context, e client.Election) (map[string][]byte, error) {
	a, err := r.assignor(e.Generation.Protocol)
	if err != nil {
		return nil, err
	}
	join := assignor.Join{
		Generation: e.Generation.ID,
		Previous:   r.last.Generation,
		Leader:     e.Generation.MemberID,
		Self:       e.Generation.MemberID,
		Members:    make([]assignor.JoinedMember, len(e.Members)),
	}
	for i, m := range e.Members {
		join.Members[i] = assignor.JoinedMember(m)
	}
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, fmt.Errorf("members of generation %d: %w", e.Generation.ID, err)
	}
	cluster, err := r.fetchCluster(ctx, group.Topics())
	if err != nil {
		return nil, err
	}
	r.watch.see(group.Topics(), r.snapshot(cluster)) // what the assignment is made from (G-503)
	if e.Skip {
		return nil, nil // the coordinator has an assignment, but somebody must watch the topics (G-500)
	}
	cluster.Offsets = r.offsets
	problem, err := group.Problem(cluster)
	if err != nil {
		return nil, fmt.Errorf("topics of generation %d: %w", e.Generation.ID, err)
	}
	plan, err := assignor.Run(ctx, a, problem)
	if err != nil {
		return nil, err
	}
	r.watch.planned(problem, plan)
	r.tell(plan.Notes())
	assignments := make(map[string][]byte, len(problem.Members))
	for i := range problem.Members {
		assignments[problem.Members[i].ID] = plan.Append(nil, i)
	}
	return assignments, nil
}

// assignor finds the one that the group has chosen.
func (r *role) assignor(name string) (assignor.Assignor, error) {
	for _, a := range r.cfg.Assignors {
		if a.Name() == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("the group has chosen protocol %q, which this consumer did not offer: add that assignor to Assignors", name)
}

// tell passes on what was left out of an assignment, or went otherwise than it should.
func (c *Consumer) tell(notes []assignor.Note) {
	if len(notes) == 0 {
		return
	}
	for _, note := range notes {
		c.log.Warn("note on the assignment", zap.String("member", note.Member), zap.String("topic", note.Topic), zap.String("note", note.Text))
	}
	if c.cfg.OnNotes != nil {
		c.cfg.OnNotes(notes)
	}
}
