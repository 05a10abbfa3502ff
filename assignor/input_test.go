package assignor_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// input is what an assignor has to solve, in the form of the vectors.
type input struct {
	Topics  []inputTopic  `json:"topics"`
	Members []inputMember `json:"members"`
}

type inputTopic struct {
	Name  string      `json:"name"`
	Parts int         `json:"parts"`
	Racks [][]*string `json:"racks,omitempty"`
}

type inputMember struct {
	ID       string   `json:"id"`
	Instance string   `json:"instance,omitempty"`
	Rack     string   `json:"rack,omitempty"`
	Subs     []string `json:"subs"`
	Version  *int16   `json:"v,omitempty"`

	Owned      map[string][]int32 `json:"owned,omitempty"`
	Generation *int32             `json:"gen,omitempty"`
}

func (m inputMember) generation() int32 {
	if m.Generation == nil {
		return -1
	}
	return *m.Generation
}

func (in input) String() string {
	line, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// join is the members as the leader gets them, with real subscription bytes.
func (in input) join() assignor.Join {
	var join assignor.Join
	for _, m := range in.Members {
		sub := protocol.NewSubscription(m.Subs...)
		sub.Rack = m.Rack
		if m.Version != nil {
			sub.Version = *m.Version
		}
		join.Members = append(join.Members, assignor.JoinedMember{
			ID: m.ID, InstanceID: m.Instance, Metadata: sub.AppendTo(nil),
		})
	}
	return join
}

// joinAs is the members with what they own, as those of an assignor send it: sticky ones in their user data, cooperative ones
// in the subscription.
func (in input) joinAs(a assignor.UserDataAssignor) assignor.Join {
	join := in.join()
	for i, m := range in.Members {
		sub, err := protocol.DecodeSubscription(join.Members[i].Metadata)
		if err != nil {
			panic(err)
		}
		var owned []protocol.TopicPartitions
		for _, topic := range slices.Sorted(maps.Keys(m.Owned)) {
			owned = append(owned, protocol.TopicPartitions{Topic: topic, Partitions: m.Owned[topic]})
		}
		sub.UserData, sub.Generation = a.UserData(assignor.Assignment{Generation: m.generation(), Partitions: owned}), m.generation()
		if a.Supports().Has(assignor.Cooperative) {
			sub.Owned = owned
		}
		join.Members[i].Metadata = sub.AppendTo(nil)
	}
	return join
}

// cluster is the topics, with one broker for each rack, and broker 0 without a rack.
func (in input) cluster() assignor.Cluster {
	c := assignor.Cluster{Racks: map[int32]string{}}
	brokers := map[string]int32{}
	for _, t := range in.Topics {
		topic := assignor.Topic{Name: t.Name, Partitions: t.Parts}
		for _, racks := range t.Racks {
			replicas := []int32{}
			for _, rack := range racks {
				if rack == nil {
					replicas = append(replicas, 0)
					continue
				}
				if brokers[*rack] == 0 {
					brokers[*rack] = int32(len(brokers) + 1)
					c.Racks[brokers[*rack]] = *rack
				}
				replicas = append(replicas, brokers[*rack])
			}
			topic.Replicas = append(topic.Replicas, replicas)
		}
		c.Topics = append(c.Topics, topic)
	}
	return c
}

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
