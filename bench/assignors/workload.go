package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// A workload is a group and a cluster of some size.
type workload struct {
	letter                      string
	takes                       string // what each member subscribes to, in words
	topics, partitions, members int
	topicsOf                    func(member, topics int) []int

	// The most CPU time that our leader may take; an assignor without a goal is not run.
	ranges, roundRobin, sticky time.Duration
}

// workloads are those of the table.
var workloads = []workload{
	{"a", "all", 100, 100, 500, allTopics, 0, 0, 1500 * time.Microsecond},
	{"b", "all", 1000, 1000, 1000, allTopics, 80 * time.Millisecond, 150 * time.Millisecond, 80 * time.Millisecond},
	{"c", "a random half", 1000, 1000, 1000, randomHalf, 0, 0, 150 * time.Millisecond},
	{"d", "10 in a row", 1000, 1000, 1000, tenInARow, 0, 0, 60 * time.Millisecond},
	{"e", "all or the first fifth", 1000, 1000, 1000, allOrAFifth, 0, 0, 300 * time.Millisecond},
	{"f", "a window of a tenth", 1000, 1000, 1000, windowOfATenth, 0, 0, 500 * time.Millisecond},
	{"g", "all", 1000, 10000, 10000, allTopics, 0, 0, 2 * time.Second},
}

// title says what the workload is.
func (w workload) title() string {
	return fmt.Sprintf("(%s) %d topics × %d partitions, %d members: each takes %s", w.letter, w.topics, w.partitions, w.members, w.takes)
}

// goal is the one of an assignor, 0 if the assignor is not run.
func (w workload) goal(assignor string) time.Duration {
	switch assignor {
	case "range":
		return w.ranges
	case "roundrobin":
		return w.roundRobin
	default:
		return w.sticky
	}
}

// input is the first join of the group. Member number w.members is one more, for later.
func (w workload) input() (in input, newcomer assignor.JoinedMember) {
	for t := range w.topics {
		in.topics = append(in.topics, assignor.Topic{Name: fmt.Sprintf("topic-%04d", t), Partitions: w.partitions})
	}
	in.generation = 1
	for m := range w.members + 1 {
		var names []string
		for _, t := range w.topicsOf(m, w.topics) {
			names = append(names, in.topics[t].Name)
		}
		subscription := protocol.NewSubscription(names...)
		in.members = append(in.members, assignor.JoinedMember{
			ID:       fmt.Sprintf("consumer-%05d-0b6c1a2e-54bb-4b0e-9d6e-%012d", m, m),
			Metadata: subscription.AppendTo(nil),
		})
	}
	newcomer, in.members = in.members[w.members], in.members[:w.members]
	return in, newcomer
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
