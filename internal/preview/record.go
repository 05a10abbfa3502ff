package preview

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

// Record is the record in which the coordinator keeps the generation: one, with every member's subscription and assignment.
type Record struct {
	Bytes      int `json:"bytes"`      // of its batch, with client ids and hosts taken to be of usual length
	Limit      int `json:"limit"`      // of a batch: max.message.bytes of the topic __consumer_offsets
	Assignment int `json:"assignment"` // bytes of the largest member's
}

// DefaultLimit is Kafka's default of message.max.bytes, and so of the topic's max.message.bytes.
const DefaultLimit = 1048588

// Fits reports whether the broker will take it. A larger one fails the leader's SyncGroup (G-301).
func (r Record) Fits() bool { return r.Bytes <= r.Limit }

// record measures the record: what Kafka keeps of a group (G-329), and the batch around it.
func (s *Solved) record(limit int) Record {
	const (
		overhead = 61 + 26 // of a batch, and of the one record in it at most
		host     = "/255.255.255.255"
	)
	p := s.plan.Problem()
	protocolName, leader := s.by.Name(), ""
	value := kmsg.NewGroupMetadataValue()
	value.ProtocolType, value.Protocol, value.Leader = "consumer", &protocolName, &leader
	r := Record{Limit: limit}
	sent := make(map[string][]byte, len(s.in.Members))
	for i := range s.in.Members {
		sent[s.in.Members[i].ID] = s.in.Members[i].Subscription(s.by)
	}
	for m, member := range p.Members {
		kept := kmsg.NewGroupMetadataValueMember()
		kept.MemberID, kept.ClientID, kept.ClientHost = member.ID, timeline.ShortName(member.ID), host
		if member.InstanceID != "" {
			kept.InstanceID = &member.InstanceID
		}
		kept.Subscription, kept.Assignment = sent[member.ID], s.plan.Append(nil, m)
		r.Assignment = max(r.Assignment, len(kept.Assignment))
		value.Members = append(value.Members, kept)
		leader = member.ID
	}
	r.Bytes = overhead + len(protocol.AppendGroupValue(nil, value))
	return r
}

// String is the size beside the limit.
func (r Record) String() string {
	text := fmt.Sprintf("%s of %s, %.1f%%", bytesText(r.Bytes), bytesText(r.Limit), 100*float64(r.Bytes)/float64(r.Limit))
	if !r.Fits() {
		text += ": too large"
	}
	return text
}

func bytesText(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}
