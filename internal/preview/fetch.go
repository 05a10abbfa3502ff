package preview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// Live is a group of a cluster as it stands.
type Live struct {
	In       *vector.Input
	Protocol string   // the assignor in use
	Limit    int      // of the group's record
	Notes    []string // what could not be learned, and what was taken instead
}

// Fetch asks a cluster about a group. What it owns is what it is assigned; its members are taken to have the subscriptions that
// they joined with. It takes a requestor that finds coordinators by itself, as *kgo.Client does.
func Fetch(ctx context.Context, cluster kmsg.Requestor, group string) (*Live, error) {
	described, err := describe(ctx, cluster, group)
	if err != nil {
		return nil, fmt.Errorf("group %q: %w", group, err)
	}
	l := &Live{In: &vector.Input{Members: make([]vector.Member, 0, len(described.Members))}, Protocol: described.Protocol}
	for i := range described.Members {
		l.addMember(&described.Members[i])
	}
	if slices.ContainsFunc(l.In.Members, func(m vector.Member) bool { return m.Owned != nil }) {
		l.note("a broker does not tell the generation: gen is 1 for everyone who is assigned something")
	}
	if err := l.fetchTopics(ctx, cluster); err != nil {
		return nil, err
	}
	l.fetchLimit(ctx, cluster)
	return l, nil
}

func (l *Live) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// describe describes a group that can be assigned something.
func describe(ctx context.Context, cluster kmsg.Requestor, group string) (*kmsg.DescribeGroupsResponseGroup, error) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{group}
	resp, err := req.RequestWith(ctx, cluster)
	if err != nil {
		return nil, err
	}
	if len(resp.Groups) != 1 {
		return nil, fmt.Errorf("the broker describes %d groups, not one", len(resp.Groups))
	}
	g := &resp.Groups[0]
	code := protocol.ErrorCode(g.ErrorCode)
	switch {
	case code == protocol.GroupIDNotFound || code == protocol.None && g.State == "Dead": // which is what versions below 6 say (G-602)
		return nil, errors.New("there is none of the classic protocol: check the name; for a group to come, write a file")
	case code != protocol.None:
		return nil, code
	case len(g.Members) == 0:
		return nil, fmt.Errorf("it is %s and has no members: start some, or write a file", g.State)
	case g.ProtocolType != "consumer":
		return nil, fmt.Errorf("its members are no consumers, but of type %q: only consumers share partitions by these assignors", g.ProtocolType)
	case g.State != "Stable": // the others come without metadata (G-175)
		return nil, fmt.Errorf("it is in state %s, and a broker tells its members' topics in state Stable only: try again", g.State)
	}
	return g, nil
}

// addMember takes a member over.
func (l *Live) addMember(from *kmsg.DescribeGroupsResponseGroupMember) {
	m := vector.Member{ID: from.MemberID, Subs: []string{}}
	if from.InstanceID != nil {
		m.Instance = *from.InstanceID
	}
	if assigned, err := protocol.DecodeAssignment(from.MemberAssignment); err == nil {
		m.Told = assigned.UserData
		for _, t := range assigned.Partitions {
			if m.Owned == nil {
				m.Owned, m.Generation = make(map[string][]int32), new(int32(1))
			}
			m.Owned[t.Topic] = append(m.Owned[t.Topic], t.Partitions...)
		}
	}
	if sub, err := protocol.DecodeSubscription(from.ProtocolMetadata); err != nil {
		l.note("member %q: %v: it is taken to subscribe to nothing, as a leader takes it", m.ID, err)
	} else {
		m.Subs, m.Rack, m.Version = append(m.Subs, sub.Topics...), sub.Rack, new(min(sub.Version, protocol.ConsumerVersion))
	}
	l.In.Members = append(l.In.Members, m)
}

// fetchTopics asks for the topics that anybody subscribes to, with the racks of their replicas.
func (l *Live) fetchTopics(ctx context.Context, cluster kmsg.Requestor) error {
	var names []string
	for _, m := range l.In.Members {
		names = append(names, m.Subs...)
	}
	slices.Sort(names)
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none, not all
	for _, name := range slices.Compact(names) {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, topic)
	}
	resp, err := req.RequestWith(ctx, cluster)
	if err != nil {
		return fmt.Errorf("metadata of topics: %w", err)
	}
	racks := make(map[int32]*string)
	for _, b := range resp.Brokers {
		racks[b.NodeID] = b.Rack
	}
	l.In.Topics = make([]vector.Topic, 0, len(resp.Topics))
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		if code := protocol.ErrorCode(t.ErrorCode); code != protocol.None && code != protocol.UnknownTopicOrPartition {
			l.note("topic %q: %v: it is taken not to exist", *t.Topic, code)
		}
		l.In.Topics = append(l.In.Topics, topicOf(*t.Topic, t.Partitions, racks))
	}
	return nil
}

func topicOf(name string, partitions []kmsg.MetadataResponseTopicPartition, racks map[int32]*string) vector.Topic {
	t := vector.Topic{Name: name, Parts: len(partitions)}
	racked := false
	for _, rack := range racks {
		racked = racked || rack != nil && *rack != ""
	}
	if !racked {
		return t
	}
	t.Racks = make([][]*string, len(partitions))
	for _, p := range partitions {
		if p.Partition < 0 || int(p.Partition) >= len(partitions) {
			continue
		}
		for _, broker := range p.Replicas {
			t.Racks[p.Partition] = append(t.Racks[p.Partition], racks[broker])
		}
	}
	return t
}

// fetchLimit asks how large a record the coordinator can keep. Whoever may not ask, or is not told, takes Kafka's default.
func (l *Live) fetchLimit(ctx context.Context, cluster kmsg.Requestor) {
	const topic, setting = "__consumer_offsets", "max.message.bytes"
	req := kmsg.NewPtrDescribeConfigsRequest()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType, resource.ResourceName, resource.ConfigNames = kmsg.ConfigResourceTypeTopic, topic, []string{setting}
	req.Resources = append(req.Resources, resource)
	if resp, err := req.RequestWith(ctx, cluster); err == nil {
		for _, r := range resp.Resources {
			for _, config := range r.Configs {
				if config.Name == setting && config.Value != nil {
					l.Limit, _ = strconv.Atoi(*config.Value)
				}
			}
		}
	}
	if l.Limit <= 0 {
		l.Limit = DefaultLimit
		l.note("the cluster does not tell %s of %s: it is taken to be %d, Kafka's default", setting, topic, DefaultLimit)
	}
}
