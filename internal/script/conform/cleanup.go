package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// CleanUp removes the members, groups and topics of this run, as far as the broker has requests for that. It returns what is
// left, in words, and nothing if nothing is. Transactional ids expire by themselves.
func (b *Broker) CleanUp(ctx context.Context) (left []string) {
	groups, err := b.ownGroups(ctx)
	if err == nil && len(groups) > 0 {
		b.removeMembers(ctx, groups) // what fails shows when the groups are deleted
		err = b.deleteGroups(ctx, groups)
	}
	if err != nil {
		left = append(left, fmt.Sprintf("groups: %v: what is left ends by its own time-outs", err))
	}
	if topics := b.topicNames(); len(topics) > 0 {
		if err := b.deleteTopics(ctx, topics); err != nil {
			left = append(left, "topics: "+err.Error())
		}
	}
	return left
}

// ownGroups lists the groups whose names have the prefix.
func (b *Broker) ownGroups(ctx context.Context) ([]string, error) {
	resp, err := b.ask(ctx, 0, kmsg.NewPtrListGroupsRequest())
	if err != nil {
		return nil, err
	}
	var groups []string
	for _, g := range resp.(*kmsg.ListGroupsResponse).Groups {
		if strings.HasPrefix(g.Group, b.prefix) {
			groups = append(groups, g.Group)
		}
	}
	return groups, nil
}

// removeMembers removes members in the name of each.
func (b *Broker) removeMembers(ctx context.Context, groups []string) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = groups
	resp, err := b.ask(ctx, 0, req)
	if err != nil {
		return
	}
	for _, g := range resp.(*kmsg.DescribeGroupsResponse).Groups {
		for _, m := range g.Members {
			leave := kmsg.NewPtrLeaveGroupRequest()
			leave.Group, leave.MemberID = g.Group, m.MemberID
			if _, err := b.ask(ctx, 0, leave); err != nil {
				return
			}
		}
	}
}

func (b *Broker) deleteGroups(ctx context.Context, groups []string) error {
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = groups
	resp, err := b.ask(ctx, 0, req)
	if err != nil {
		return err
	}
	var codes []int16
	for _, g := range resp.(*kmsg.DeleteGroupsResponse).Groups {
		codes = append(codes, g.ErrorCode)
	}
	return counted(codes, protocol.GroupIDNotFound)
}

func (b *Broker) deleteTopics(ctx context.Context, topics []string) error {
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TopicNames, req.TimeoutMillis = topics, int32(b.cfg.Patience.Milliseconds())
	resp, err := b.ask(ctx, 1, req)
	if err != nil {
		return err
	}
	var codes []int16
	for _, t := range resp.(*kmsg.DeleteTopicsResponse).Topics {
		codes = append(codes, t.ErrorCode)
	}
	return counted(codes, protocol.UnknownTopicOrPartition)
}

// counted makes an error of how many could not be deleted, by reason. Those of the code gone were not there any more.
func counted(codes []int16, gone protocol.ErrorCode) error {
	count := make(map[protocol.ErrorCode]int)
	for _, c := range codes {
		if code := protocol.ErrorCode(c); code != protocol.None && code != gone {
			count[code]++
		}
	}
	var all []string
	for code, n := range count {
		all = append(all, fmt.Sprintf("%d %s", n, code.String()))
	}
	if all == nil {
		return nil
	}
	return errors.New(strings.Join(all, ", "))
}
