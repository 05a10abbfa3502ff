package client

import "fmt"

// State is where a member stands in its group (G-451).
type State uint8

const (
	// Unjoined members have no place in the group: not yet, or no longer.
	Unjoined State = iota
	// PreparingRebalance members have sent JoinGroup.
	PreparingRebalance
	// CompletingRebalance members have a generation, and have sent SyncGroup or are about to.
	CompletingRebalance
	// Stable members have their assignment.
	Stable
)

// String is the state's name as Kafka spells it, such as PREPARING_REBALANCE.
func (s State) String() string {
	switch s {
	case Unjoined:
		return "UNJOINED"
	case PreparingRebalance:
		return "PREPARING_REBALANCE"
	case CompletingRebalance:
		return "COMPLETING_REBALANCE"
	case Stable:
		return "STABLE"
	}
	return fmt.Sprintf("STATE_%d", uint8(s))
}

// Generation is a member's place in one generation of its group (G-452). Its fields go into every request that the
// coordinator fences.
type Generation struct {
	ID       int32  // counted by the coordinator; -1 outside any generation
	MemberID string // given by the coordinator; empty before that
	Protocol string // the name that the group has chosen, such as "range"
}

// outside reports whether a member with that place is in no generation, so that what it was assigned is lost.
func (g Generation) outside() bool { return g.ID < 0 || g.MemberID == "" }

// noGeneration is a member's place before it joins.
var noGeneration = Generation{ID: -1}
