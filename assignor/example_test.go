package assignor_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// exampleJoin is what JoinGroup's answer tells the leader of two members that take the same topics.
func exampleJoin(topics ...string) assignor.Join {
	subscription := protocol.NewSubscription(topics...)
	metadata := subscription.AppendTo(nil)
	return assignor.Join{Generation: 1, Leader: "a", Self: "a", Members: []assignor.JoinedMember{
		{ID: "a", Metadata: metadata},
		{ID: "b", Metadata: metadata},
	}}
}

// An assignor of one's own: whole topics, each to the subscriber that has the fewest partitions so far.
func ExampleSimple() {
	wholeTopics := assignor.Simple("whole-topics", func(partitions map[string]int, members map[string][]string) (map[string][]assignor.TopicPartition, error) {
		plan := map[string][]assignor.TopicPartition{}
		for _, topic := range slices.Sorted(maps.Keys(partitions)) {
			idlest := ""
			for _, member := range slices.Sorted(maps.Keys(members)) {
				if slices.Contains(members[member], topic) && (idlest == "" || len(plan[member]) < len(plan[idlest])) {
					idlest = member
				}
			}
			for p := range partitions[topic] {
				plan[idlest] = append(plan[idlest], assignor.TopicPartition{Topic: topic, Partition: p})
			}
		}
		return plan, nil
	})

	cluster := assignor.Cluster{Topics: []assignor.Topic{
		{Name: "clicks", Partitions: 4}, {Name: "orders", Partitions: 2}, {Name: "views", Partitions: 3},
	}}
	plan, err := assignor.Solve(context.Background(), wholeTopics, exampleJoin("clicks", "orders", "views"), cluster)
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := plan.Problem()
	for m, member := range problem.Members {
		for topic, partition := range plan.Partitions(m) {
			fmt.Print(member.ID, ":", problem.Topics[topic].Name, "-", partition, " ")
		}
	}
	// Output: a:clicks-0 a:clicks-1 a:clicks-2 a:clicks-3 b:orders-0 b:orders-1 b:views-0 b:views-1 b:views-2
}

// What a leader does between JoinGroup's answer and SyncGroup.
func Example() {
	group, err := assignor.Decode(exampleJoin("orders"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("fetch the metadata of", group.Topics())

	problem, err := group.Problem(assignor.Cluster{Topics: []assignor.Topic{{Name: "orders", Partitions: 3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := assignor.Run(context.Background(), assignor.Range{}, problem)
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, member := range problem.Members {
		fmt.Printf("send %s %d partitions in %d bytes\n", member.ID, plan.Count(m), len(plan.Append(nil, m)))
	}
	// Output:
	// fetch the metadata of [orders]
	// send a 2 partitions in 30 bytes
	// send b 1 partitions in 26 bytes
}

// stubborn leads the group alone: it gives every partition to the member in which it runs.
type stubborn struct{}

func (stubborn) Name() string                         { return "stubborn" }
func (stubborn) Supports() assignor.RebalanceProtocol { return assignor.Eager }

func (stubborn) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	for t, topic := range p.Topics {
		plan.AssignRange(p.Self, t, 0, topic.Partitions)
	}
	return nil
}

// An assignor that works on the problem itself sees all of it: here, which member it runs in.
func ExampleAssignor() {
	cluster := assignor.Cluster{Topics: []assignor.Topic{{Name: "orders", Partitions: 3}}}
	plan, err := assignor.Solve(context.Background(), stubborn{}, exampleJoin("orders"), cluster)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Count(0), plan.Count(1))
	// Output: 3 0
}
