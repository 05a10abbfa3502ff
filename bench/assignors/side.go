package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
)

// A lead is one run of what is timed: it decodes every member's metadata, assigns, and encodes every member's assignment.
type lead func() ([]sent, error)

// The sides that are Go. Each makes, of an assignor's name and an input, what is timed; what it does before is what its client
// keeps of the cluster's metadata.
var goSides = map[string]func(name string, in *input) (lead, error){
	"joinsync": leadOurs,
	"franz-go": leadFranz,
	"Sarama":   leadSarama,
}

// ours are our assignors.
var ours = map[string]assignor.Assignor{
	"range":              assignor.Range{},
	"roundrobin":         assignor.RoundRobin{},
	"sticky":             assignor.Sticky{},
	"cooperative-sticky": assignor.CooperativeSticky{},
}

func leadOurs(name string, in *input) (lead, error) {
	a, err := named(ours, name)
	return func() ([]sent, error) {
		plan, err := solve(a, in)
		if err != nil {
			return nil, err
		}
		var all []sent
		for i, m := range plan.Problem().Members {
			all = append(all, sent{m.ID, plan.Append(nil, i)})
		}
		return all, nil
	}, err
}

func leadFranz(name string, in *input) (lead, error) {
	balancer, err := named(map[string]kgo.GroupBalancer{
		"range":              kgo.RangeBalancer(),
		"roundrobin":         kgo.RoundRobinBalancer(),
		"sticky":             kgo.StickyBalancer(),
		"cooperative-sticky": kgo.CooperativeStickyBalancer(),
	}, name)
	partitions := make(map[string]int32, len(in.topics))
	for _, t := range in.topics {
		partitions[t.Name] = int32(t.Partitions)
	}
	return func() ([]sent, error) {
		members := make([]kmsg.JoinGroupResponseMember, len(in.members))
		for i, m := range in.members {
			members[i].MemberID, members[i].ProtocolMetadata = m.ID, m.Metadata
		}
		forMembers, _, err := balancer.MemberBalancer(members)
		if err != nil {
			return nil, err
		}
		fallible, ok := forMembers.(kgo.GroupMemberBalancerOrError)
		if !ok {
			return nil, fmt.Errorf("franz-go's balancer %q is no GroupMemberBalancerOrError", name)
		}
		plan, err := fallible.BalanceOrError(partitions)
		if err != nil {
			return nil, err
		}
		var all []sent
		for _, a := range plan.IntoSyncAssignment() {
			all = append(all, sent{a.MemberID, a.MemberAssignment})
		}
		return all, nil
	}, err
}

func leadSarama(name string, in *input) (lead, error) {
	makeStrategy, err := named(map[string]func() sarama.BalanceStrategy{
		"range":              sarama.NewBalanceStrategyRange,
		"roundrobin":         sarama.NewBalanceStrategyRoundRobin,
		"sticky":             sarama.NewBalanceStrategySticky,
		"cooperative-sticky": sarama.NewBalanceStrategyCooperativeSticky,
	}, name)
	partitions := make(map[string][]int32, len(in.topics))
	for _, t := range in.topics {
		for q := range t.Partitions {
			partitions[t.Name] = append(partitions[t.Name], int32(q))
		}
	}
	return func() ([]sent, error) {
		var join sarama.JoinGroupResponse
		for _, m := range in.members {
			join.Members = append(join.Members, sarama.GroupMember{MemberId: m.ID, Metadata: m.Metadata})
		}
		members, err := join.GetMembers()
		if err != nil {
			return nil, err
		}
		plan, err := makeStrategy().Plan(members, partitions)
		if err != nil {
			return nil, err
		}
		var sync sarama.SyncGroupRequest // the only way to Sarama's encoder
		for id, topics := range plan {
			assignment := sarama.ConsumerGroupMemberAssignment{Topics: topics}
			if err := sync.AddGroupAssignmentMember(id, &assignment); err != nil {
				return nil, err
			}
		}
		var all []sent
		for _, a := range sync.GroupAssignments {
			all = append(all, sent{a.MemberId, a.Assignment})
		}
		return all, nil
	}, err
}

// named finds what one of the sides calls by a name.
func named[V any](all map[string]V, name string) (V, error) {
	found, ok := all[name]
	if !ok {
		return found, fmt.Errorf("there is no %q; take one of %q", name, slices.Sorted(maps.Keys(all)))
	}
	return found, nil
}
