package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Group is what a coordinator says of one consumer group.
type Group struct {
	ID           string
	State        string // "Stable", "PreparingRebalance", "CompletingRebalance", "Empty" or "Dead"
	ProtocolType string
	Protocol     string // the chosen assignor, empty before there is one
	Members      []GroupMember
}

// A GroupMember is one member of a [Group].
type GroupMember struct {
	MemberID   string
	InstanceID string // empty for a dynamic member
	ClientID   string
	Host       string
	// Assigned holds the partitions of each topic that the member owns, ascending. It is decoded from the consumer
	// protocol's assignment, and empty for a member without one and in groups of other types.
	Assigned map[string][]int32
}

// DescribeGroup asks the cluster behind addr for a group. A group that does not exist is one in the state Dead without
// members, as it was before DescribeGroups v6. Members are sorted by member id.
func DescribeGroup(ctx context.Context, addr, group string) (Group, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return Group{}, err
	}
	defer client.Close()
	return describeGroup(ctx, client, group)
}

// AwaitGroup asks for a group again and again until done is true of it, and returns it. When ctx ends first, the error
// tells what the group looked like at last.
func AwaitGroup(ctx context.Context, addr, group string, done func(Group) bool) (Group, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return Group{}, err
	}
	defer client.Close()
	var last Group
	for {
		described, err := describeGroup(ctx, client, group)
		if err != nil {
			return last, fmt.Errorf("describe group %s, last seen as %v: %w", group, last, err)
		}
		last = described
		if done(last) {
			return last, nil
		}
		if !pause(ctx, 25*time.Millisecond) {
			return last, fmt.Errorf("group %s is still %v: %w", group, last, ctx.Err())
		}
	}
}

// CheckAssignment returns an error unless every one of the topic's partitions, counted from 0, has exactly one owner.
func (g Group) CheckAssignment(topic string, partitions int32) error {
	owners := make(map[int32][]string)
	for _, member := range g.Members {
		for _, partition := range member.Assigned[topic] {
			owners[partition] = append(owners[partition], member.MemberID)
		}
	}
	var errs []error
	for partition := range partitions {
		if count := len(owners[partition]); count != 1 {
			errs = append(errs, fmt.Errorf("%s-%d has %d owners %v", topic, partition, count, owners[partition]))
		}
		delete(owners, partition)
	}
	for partition, members := range owners {
		errs = append(errs, fmt.Errorf("%s-%d does not exist but is owned by %v", topic, partition, members))
	}
	return errors.Join(errs...)
}

func describeGroup(ctx context.Context, client *kgo.Client, id string) (Group, error) {
	answer, err := describe(ctx, client, id)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return Group{ID: id, State: "Dead"}, nil
	}
	if err != nil {
		return Group{}, err
	}
	group := Group{ID: id, State: answer.State, ProtocolType: answer.ProtocolType, Protocol: answer.Protocol}
	for _, member := range answer.Members {
		var assigned map[string][]int32
		if group.ProtocolType == "consumer" {
			assigned, err = decodeAssignment(member.MemberAssignment)
		}
		if err != nil {
			return Group{}, fmt.Errorf("assignment of member %s: %w", member.MemberID, err)
		}
		described := GroupMember{MemberID: member.MemberID, ClientID: member.ClientID, Host: member.ClientHost, Assigned: assigned}
		if member.InstanceID != nil {
			described.InstanceID = *member.InstanceID
		}
		group.Members = append(group.Members, described)
	}
	slices.SortFunc(group.Members, func(a, b GroupMember) int { return strings.Compare(a.MemberID, b.MemberID) })
	return group, nil
}

// decodeAssignment decodes the consumer protocol's assignment. A member has none before its group is stable for the first
// time.
func decodeAssignment(assignment []byte) (map[string][]int32, error) {
	assigned := make(map[string][]int32)
	if len(assignment) == 0 {
		return assigned, nil
	}
	var decoded kmsg.ConsumerMemberAssignment
	if err := decoded.ReadFrom(assignment); err != nil {
		return nil, err
	}
	for _, topic := range decoded.Topics {
		assigned[topic.Topic] = slices.Sorted(slices.Values(topic.Partitions))
	}
	return assigned, nil
}
