package assignor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// workload is a group and a cluster of some size. topicsOf gives the topics, of so many, that a member subscribes to.
type workload struct {
	name                        string
	topics, partitions, members int
	topicsOf                    func(member, topics int) []int
	racks                       int // 0: none known; else two replicas for each partition
}

var workloads = []workload{
	{"100x100,500,all", 100, 100, 500, allTopics, 0},
	{"1000x1000,1000,all", 1000, 1000, 1000, allTopics, 0},
	{"1000x1000,1000,random-half", 1000, 1000, 1000, randomHalf, 0},
	{"1000x1000,1000,ten-in-a-row", 1000, 1000, 1000, tenInARow, 0},
	{"1000x1000,1000,all-or-a-fifth", 1000, 1000, 1000, allOrAFifth, 0},
	{"1000x1000,1000,window-of-a-tenth", 1000, 1000, 1000, windowOfATenth, 0},
	{"1000x100,2000,first-so-many", 1000, 100, 2000, firstSoMany, 0}, // which falls into parts, as many as there are topics
	{"1000x1000,1000,all,racks", 1000, 1000, 1000, allTopics, 3},
	{"1000x1000,1000,random-half,racks", 1000, 1000, 1000, randomHalf, 3},
	{"1000x10000,10000,all", 1000, 10000, 10000, allTopics, 0},
}

func allTopics(_, topics int) []int {
	list := make([]int, topics)
	for i := range list {
		list[i] = i
	}
	return list
}

func randomHalf(member, topics int) []int {
	return rand.New(rand.NewPCG(1, uint64(member))).Perm(topics)[:topics/2]
}

func tenInARow(member, topics int) []int {
	list := make([]int, 10)
	for i := range list {
		list[i] = (10*member + i) % topics
	}
	return list
}

func allOrAFifth(member, topics int) []int {
	if member%2 == 0 {
		return allTopics(member, topics)
	}
	return allTopics(member, topics/5)
}

func windowOfATenth(member, topics int) []int {
	list := make([]int, topics/10)
	for i := range list {
		list[i] = (member + i) % topics
	}
	return list
}

func firstSoMany(member, topics int) []int { return allTopics(member, 1+member%topics) }

func (w workload) input() (assignor.Join, assignor.Cluster) {
	cluster := assignor.Cluster{Topics: make([]assignor.Topic, w.topics)}
	for t := range cluster.Topics {
		cluster.Topics[t] = assignor.Topic{Name: fmt.Sprintf("topic-%04d", t), Partitions: w.partitions}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for rack := range w.racks {
		if cluster.Racks == nil {
			cluster.Racks = map[int32]string{}
		}
		cluster.Racks[int32(rack)] = fmt.Sprintf("rack-%d", rack)
	}
	for t := range cluster.Topics {
		for range w.partitions * min(w.racks, 1) {
			leader := random.IntN(w.racks)
			follower := (leader + 1 + random.IntN(w.racks-1)) % w.racks
			cluster.Topics[t].Replicas = append(cluster.Topics[t].Replicas, []int32{int32(leader), int32(follower)})
		}
	}
	join := assignor.Join{Generation: 1}
	for m := range w.members {
		var names []string
		for _, t := range w.topicsOf(m, w.topics) {
			names = append(names, cluster.Topics[t].Name)
		}
		subscription := protocol.NewSubscription(names...)
		if w.racks > 0 {
			subscription.Rack = cluster.Racks[int32(m%w.racks)]
		}
		join.Members = append(join.Members, assignor.JoinedMember{
			ID:       fmt.Sprintf("consumer-%05d-0b6c1a2e-54bb-4b0e-9d6e-%012d", m, m),
			Metadata: subscription.AppendTo(nil),
		})
	}
	return join, cluster
}

// BenchmarkLeader is all that a leader does between JoinGroup's answer and SyncGroup: decode every member's metadata,
// assign, encode every member's assignment.
func BenchmarkLeader(b *testing.B) {
	for _, a := range []assignor.Assignor{assignor.Range{}, assignor.RoundRobin{}} {
		for _, w := range workloads {
			b.Run(a.Name()+"/"+w.name, func(b *testing.B) {
				join, cluster := w.input()
				b.ReportAllocs()
				for b.Loop() {
					lead(b, a, join, cluster)
				}
			})
		}
	}
}

// BenchmarkStickyLeader is the same for the sticky assignors: in a new group, when nothing has changed since, when one member
// has left, and when one has joined.
func BenchmarkStickyLeader(b *testing.B) {
	for _, a := range sticky {
		for _, w := range workloads {
			b.Run(a.Name()+"/"+w.name, func(b *testing.B) { benchRounds(b, a, w) })
		}
	}
}

func benchRounds(b *testing.B, a assignor.UserDataAssignor, w workload) {
	rounds, cluster := stickyRounds(b, a, w)
	for _, round := range []string{"fresh", "steady", "leaves", "joins"} {
		b.Run(round, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lead(b, a, rounds[round], cluster)
			}
		})
	}
}

func lead(b testing.TB, a assignor.Assignor, join assignor.Join, cluster assignor.Cluster) *assignor.Plan {
	group, err := assignor.Decode(join)
	if err != nil {
		b.Fatal(err)
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := assignor.Run(context.Background(), a, problem)
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for m := range problem.Members {
		size += len(plan.Append(nil, m))
	}
	if b, ok := b.(*testing.B); ok {
		b.SetBytes(int64(size))
	}
	return plan
}

// stickyRounds is the joins that a leader gets in a group's first rounds.
func stickyRounds(b testing.TB, a assignor.UserDataAssignor, w workload) (map[string]assignor.Join, assignor.Cluster) {
	more := w
	more.members++
	join, cluster := more.input()
	newcomer := join.Members[w.members]
	join.Members = join.Members[:w.members]
	steady := claiming(b, a, join, lead(b, a, join, cluster))
	leaves, joins := steady, steady
	leaves.Members = slices.Concat(steady.Members[:w.members/2], steady.Members[w.members/2+1:])
	joins.Members = append(slices.Clone(steady.Members), newcomer)
	return map[string]assignor.Join{"fresh": join, "steady": steady, "leaves": leaves, "joins": joins}, cluster
}

// claiming is the members of a join as they join again, with what a plan sends them.
func claiming(b testing.TB, a assignor.UserDataAssignor, join assignor.Join, plan *assignor.Plan) assignor.Join {
	again := assignor.Join{Generation: join.Generation + 1, Members: slices.Clone(join.Members)}
	for i, member := range plan.Problem().Members { // the same order as in the join
		assignment, err := protocol.DecodeAssignment(plan.Append(nil, i))
		if err != nil {
			b.Fatal(err)
		}
		s, err := protocol.DecodeSubscription(join.Members[i].Metadata)
		if err != nil || join.Members[i].ID != member.ID {
			b.Fatal(err, join.Members[i].ID, member.ID)
		}
		s.Generation, s.UserData = join.Generation, a.UserData(assignor.Assignment{Generation: join.Generation, Partitions: assignment.Partitions, UserData: assignment.UserData})
		if a.Supports().Has(assignor.Cooperative) {
			s.Owned = assignment.Partitions
		}
		again.Members[i].Metadata = s.AppendTo(nil)
	}
	return again
}
