package assignor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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

func lead(b *testing.B, a assignor.Assignor, join assignor.Join, cluster assignor.Cluster) {
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
	b.SetBytes(int64(size))
}
