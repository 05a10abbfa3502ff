package assignor

import (
	"context"
	"encoding/binary"

	"github.com/joinsync/joinsync/protocol"
)

// Sticky shares partitions out as evenly as can be, and among the ways to do so takes one that moves the fewest of
// them (KIP-54). What members owned before travels in their user data, which is that of Java's StickyAssignor (G-553):
// see [Sticky.UserData].
//
// Even is: with the least sum of the squares of the members' numbers of partitions. Neither this nor the number of moves
// can be bettered, whatever the members subscribe to. Where racks are known and make a difference (G-565), nearness comes
// in between: balance first, then the fewest partitions without a replica in the rack of their member (KIP-881), then the
// fewest moves. Partitions that move, as all those of a new group, are spread so that a member gets some of every topic.
//
// Of several members that claim a partition, the one of the latest generation owned it; of the same generation, none did
// (KIP-341, G-556).
type Sticky struct{}

// Name returns "sticky".
func (Sticky) Name() string { return "sticky" }

// Supports returns Eager.
func (Sticky) Supports() RebalanceProtocol { return Eager }

// Assign makes the plan.
func (Sticky) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	claims := make([][]byte, len(p.Members))
	generations := make([]int32, len(p.Members))
	for m := range p.Members {
		member := &p.Members[m]
		generations[m] = member.Generation
		if len(member.UserData) == 0 {
			continue
		}
		var ok bool
		if claims[m], generations[m], ok = readStickyUserData(member.UserData, member.Generation); !ok {
			plan.Note(Note{Member: member.ID, Text: "its user data cannot be read: it is taken to have owned nothing"})
		}
	}
	var read []Claim
	plan.takeClaims(generations, func(m int) []Claim {
		read = p.appendClaims(read[:0], claims[m], m, &plan.notes)
		return read
	})
	return plan.shareOut(ctx, false)
}

// UserData is the user data of the subscription of a member that offers "sticky": what it was last assigned, and in which
// generation (version 1 of it, KIP-341). A member that was assigned nothing yet sends none.
func (Sticky) UserData(last Assignment) []byte {
	if len(last.Partitions) == 0 {
		return nil
	}
	data := appendTopicPartitions(nil, last.Partitions)
	return binary.BigEndian.AppendUint32(data, uint32(last.Generation))
}

// appendTopicPartitions appends an array of topics with partitions.
func appendTopicPartitions(dst []byte, topics []protocol.TopicPartitions) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(topics)))
	for _, t := range topics {
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(t.Topic)))
		dst = append(dst, t.Topic...)
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(t.Partitions)))
		for _, partition := range t.Partitions {
			dst = binary.BigEndian.AppendUint32(dst, uint32(partition))
		}
	}
	return dst
}

// readStickyUserData splits such user data. In version 0 there is no generation, and it is the one of the subscription.
// The claims stay bytes, for Problem.appendClaims. It accepts what Java's assignor does, with any bytes behind.
func readStickyUserData(data []byte, ofSubscription int32) (claims []byte, generation int32, ok bool) {
	r := reader{rest: data}
	claims, _ = r.topicPartitions()
	switch {
	case r.failed:
		return nil, -1, false
	case len(r.rest) < 4:
		return claims, ofSubscription, true
	}
	return claims, max(r.int32(), -1), true
}
