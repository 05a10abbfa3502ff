package assignor

import (
	"context"
	"encoding/binary"
)

// CooperativeSticky is [Sticky] for members that keep what they own while they join, and list it in their subscription
// (KIP-429). A partition that another member still owns is planned for its new owner and withheld from it
// ([Plan.WithholdMoving]): its owner finds that it has lost it, gives it up and joins again, and then it is assigned.
//
// In a group of eager members it works too: these own nothing as they join, and so nothing is sticky.
type CooperativeSticky struct{}

// Name returns "cooperative-sticky".
func (CooperativeSticky) Name() string { return "cooperative-sticky" }

// Supports returns both protocols (G-552).
func (CooperativeSticky) Supports() RebalanceProtocol { return Cooperative | Eager }

// Assign makes the plan.
func (CooperativeSticky) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	generations := make([]int32, len(p.Members))
	for m := range p.Members {
		member := &p.Members[m]
		generations[m] = member.Generation
		if member.Generation >= 0 || len(member.UserData) == 0 {
			continue
		}
		r := reader{rest: member.UserData} // which older members send instead (G-555)
		if generations[m] = max(r.int32(), -1); r.failed {
			generations[m] = -1
			plan.Note(Note{Member: member.ID, Text: "its user data cannot be read: what it owns is taken to be of no generation"})
		}
	}
	rivals := plan.takeClaims(generations, func(m int) []Claim { return p.Members[m].Owned })
	err := plan.shareOut(ctx, !rivals)
	if rivals {
		plan.WithholdMoving()
	}
	return err
}

// UserData is the user data of the subscription of a member that offers "cooperative-sticky": the generation, for leaders
// that do not read it in the subscription itself (G-555). What is owned is in the subscription.
func (CooperativeSticky) UserData(last Assignment) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(last.Generation))
}
