package assignor_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// residency is cooperative-sticky, but that topics of the European Union go to members in the rack "eu" only.
type residency struct{ assignor.CooperativeSticky }

func (residency) Name() string { return "residency" }

func (r residency) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	allowed := p.Filter(func(m, t int) bool {
		return !strings.HasPrefix(p.Topics[t].Name, "eu.") || p.Members[m].Rack == "eu"
	})
	part, err := assignor.Run(ctx, r.CooperativeSticky, allowed)
	if err != nil {
		return err
	}
	plan.Adopt(part)
	return nil
}

// An assignor built on another one: it shows that one a part of the problem, and takes over what it plans.
func ExampleProblem_Filter() {
	join := assignor.Join{Generation: 1}
	for id, rack := range map[string]string{"a": "us", "b": "eu", "c": "us"} {
		subscription := protocol.NewSubscription("eu.orders", "orders")
		subscription.Rack = rack
		join.Members = append(join.Members, assignor.JoinedMember{ID: id, Metadata: subscription.AppendTo(nil)})
	}
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: "eu.orders", Partitions: 2}, {Name: "orders", Partitions: 4}}}
	plan, err := assignor.Solve(context.Background(), residency{}, join, cluster)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := plan.Problem()
	for m, member := range p.Members {
		for topic, partition := range plan.Partitions(m) {
			fmt.Print(member.ID, ":", p.Topics[topic].Name, "-", partition, " ")
		}
	}
	// Output: a:orders-0 a:orders-2 b:eu.orders-0 b:eu.orders-1 c:orders-1 c:orders-3
}

// nightly is an assignor that does not always have an answer.
type nightly struct{ assignor.Range }

func (nightly) Assign(context.Context, *assignor.Problem, *assignor.Plan) error {
	return fmt.Errorf("the table of tonight is not there yet")
}

func ExampleFallBack() {
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: "orders", Partitions: 3}}}
	plan, err := assignor.Solve(context.Background(), assignor.FallBack(nightly{}, assignor.RoundRobin{}), exampleJoin("orders"), cluster)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Count(0), plan.Count(1), plan.Notes())
	// Output: 2 1 [assignor "range": the table of tonight is not there yet: the plan is made by "roundrobin"]
}
