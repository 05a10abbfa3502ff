package assignor

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/joinsync/joinsync/protocol"
)

// Standby is for members that build up state for their partitions, and keep copies of it for each other, as Kafka Streams does
// with num.standby.replicas=1. Each partition has an owner and, where its topic has another subscriber, a second: a member that
// follows the partition, to have its state, without working on it, and that takes it over when the owner goes.
//
// Owners are shared out as by [Sticky], under both protocols: as evenly as can be, then near the racks, then with the fewest
// moves. What nobody owned before goes rather to its second. So when a member goes, its partitions go to their seconds, except
// those by which the others would be less even than they can be, or farther from the racks.
//
// A second is in another rack than the owner wherever a subscriber is, so that no rack takes both. The seconds of what a member
// owns are spread evenly over the others, within one partition for topics with the same subscribers: each can take its part over.
// Within that a second stays; else the member that loses the partition becomes its second; else it is one that owns and follows
// little: where all subscribe alike and tell no racks, nobody owns and follows over two partitions more than another. What moves
// to a member without its state is let off that until the next rebalance, so that its second has the state: the one of before, or
// the owner of before, wherever one of them can be.
//
// The members are told what to follow in the user data of their assignments: see [Standbys]. When seconds change no rebalance
// follows, and nobody waits for a second to have the state: it is as if there were none until it has.
type Standby struct {
	// OnStandby is told, at each assignment and before it is taken over, all that the member is to follow from then on, as
	// [Standbys] has it; nil if that is nothing or cannot be read. It is called by the member's own goroutine: it should return
	// soon. Nil is for members that read the user data themselves.
	OnStandby func(partitions []protocol.TopicPartitions)
}

// Name returns "standby".
func (Standby) Name() string { return "standby" }

// Supports returns both protocols. A cooperative member that is to own what another one has to give up first follows it until
// then.
func (Standby) Supports() RebalanceProtocol { return Cooperative | Eager }

// Assign makes the plan.
func (Standby) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	told, generations := readStandbyData(p, plan)
	var read []Claim
	claims := func(m int, list []byte) []Claim {
		read = p.appendClaims(read[:0], list, m, &plan.notes)
		return read
	}
	plan.takeClaims(generations, func(m int) []Claim {
		if p.group.members[m].claims > 0 { // in its subscription: it is cooperative
			return p.Members[m].Owned
		}
		return claims(m, told[m].owned)
	})
	followed, coming := NewPlan(p), NewPlan(p)
	followed.takeClaims(generations, func(m int) []Claim { return claims(m, told[m].followed) })
	coming.takeClaims(generations, func(m int) []Claim { return claims(m, told[m].coming) })
	plan.notes.addAll(followed.notes)
	plan.notes.addAll(coming.notes)

	before, warm := slices.Clone(plan.owner), coming.owner
	for i, m := range followed.owner {
		if m != nobody && (warm[i] == nobody || generations[warm[i]] < generations[m]) {
			warm[i] = m
		}
	}
	if err := (&sharing{plan: plan, warm: warm}).run(ctx); err != nil {
		return err
	}
	plan.WithholdMoving()
	if err := followed.second(ctx, plan, before); err != nil {
		return err
	}
	for i, m := range plan.owner {
		coming.owner[i] = nobody
		if plan.isWithheld(i) {
			coming.owner[i] = m
		}
	}
	for m := range p.Members {
		if followed.Count(m)+coming.Count(m) > 0 {
			data := binary.BigEndian.AppendUint16(nil, standbyVersion)
			plan.SetUserData(m, coming.appendPartitions(followed.appendPartitions(data, m), m))
		}
	}
	return nil
}

// OnAssignment tells OnStandby. It never asks for a rebalance.
func (s Standby) OnAssignment(a Assignment) (rejoin bool, after time.Duration) {
	if s.OnStandby != nil {
		partitions, _ := Standbys(a.UserData)
		s.OnStandby(partitions)
	}
	return false, 0
}
