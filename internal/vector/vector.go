package vector

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// Input is a group and the topics that it shares.
type Input struct {
	Topics  []Topic  `json:"topics"`
	Members []Member `json:"members"`
}

// Topic is a topic of the cluster's metadata. One with no partitions does not exist.
type Topic struct {
	Name  string      `json:"name"`
	Parts int         `json:"parts"`
	Racks [][]*string `json:"racks,omitempty"` // of the replicas of each partition, the leader's first; null is a broker without one
	Lag   []int64     `json:"lag,omitempty"`   // of the group, by partition, for assignors that go by it; nil where it is not known
}

// Member is a member with what it says of itself.
type Member struct {
	ID       string   `json:"id"`
	Instance string   `json:"instance,omitempty"`
	Rack     string   `json:"rack,omitempty"`
	Subs     []string `json:"subs"`

	Owned      map[string][]int32 `json:"owned,omitempty"`
	Generation *int32             `json:"gen,omitempty"`      // in which it came to own them; nil is none
	Version    *int16             `json:"v,omitempty"`        // of the subscription that it sends; nil is the latest
	Told       []byte             `json:"told,omitempty"`     // the user data of the assignment that it has
	UserData   []byte             `json:"userData,omitempty"` // what it sends for its assignor, if not what the assignor would have it send
}

// Since is the generation of what the member owns; -1 for none.
func (m *Member) Since() int32 {
	if m.Generation == nil {
		return -1
	}
	return *m.Generation
}

// OwnedByTopic is what the member owns, topics ascending.
func (m *Member) OwnedByTopic() []protocol.TopicPartitions {
	owned := make([]protocol.TopicPartitions, 0, len(m.Owned))
	for _, topic := range slices.Sorted(maps.Keys(m.Owned)) {
		owned = append(owned, protocol.TopicPartitions{Topic: topic, Partitions: m.Owned[topic]})
	}
	return owned
}

// Subscription is the bytes that the member sends for an assignor: what it owns in the subscription if it keeps that while
// it joins (KIP-429), in the user data if the assignor's members tell it there, and nowhere for all others.
func (m *Member) Subscription(a assignor.Assignor) []byte {
	sub := protocol.NewSubscription(m.Subs...)
	sub.Rack, sub.Generation, sub.UserData = m.Rack, m.Since(), m.UserData
	if m.Version != nil {
		sub.Version = *m.Version
	}
	owned := m.OwnedByTopic()
	if teller, ok := a.(assignor.UserDataAssignor); ok && sub.UserData == nil {
		sub.UserData = teller.UserData(assignor.Assignment{Generation: sub.Generation, Partitions: owned, UserData: m.Told})
	}
	if a.Supports().Has(assignor.Cooperative) {
		sub.Owned = owned
	}
	return sub.AppendTo(nil)
}

// Join is the members as their leader gets them: the leader is the first of them.
func (in *Input) Join(a assignor.Assignor) assignor.Join {
	join := assignor.Join{Members: make([]assignor.JoinedMember, len(in.Members))}
	for i := range in.Members {
		m := &in.Members[i]
		join.Members[i] = assignor.JoinedMember{ID: m.ID, InstanceID: m.Instance, Metadata: m.Subscription(a)}
	}
	if len(in.Members) > 0 {
		join.Leader, join.Self = in.Members[0].ID, in.Members[0].ID
	}
	return join
}

// Cluster is the topics, with one broker for each rack, and broker 0 without one. It knows as much of offsets as the input of lags.
func (in *Input) Cluster() assignor.Cluster {
	c := assignor.Cluster{Topics: make([]assignor.Topic, len(in.Topics)), Racks: make(map[int32]string), Offsets: in.offsets}
	brokers := make(map[string]int32)
	for i, t := range in.Topics {
		c.Topics[i] = assignor.Topic{Name: t.Name, Partitions: t.Parts}
		if t.Racks == nil {
			continue
		}
		c.Topics[i].Replicas = make([][]int32, len(t.Racks))
		for partition, racks := range t.Racks {
			replicas := make([]int32, len(racks))
			for r, rack := range racks {
				if rack == nil || *rack == "" {
					continue
				}
				if brokers[*rack] == 0 {
					brokers[*rack] = int32(len(brokers) + 1)
					c.Racks[brokers[*rack]] = *rack
				}
				replicas[r] = brokers[*rack]
			}
			c.Topics[i].Replicas[partition] = replicas
		}
	}
	return c
}

// String is the input as one line of JSON.
func (in *Input) String() string {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(in); err != nil {
		return err.Error() // nothing in it can fail
	}
	return string(bytes.TrimSpace(line.Bytes()))
}
