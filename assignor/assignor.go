package assignor

import (
	"context"
	"strings"
)

// Assignor decides which member of a group owns which partition. It is the plug-in of this package, the counterpart of
// Java's ConsumerPartitionAssignor.
//
// One value may serve many groups at once, so its methods must be safe for concurrent use.
//
// What an assignor wants beyond that it says by more methods: [UserDataAssignor], [AssignmentListener].
type Assignor interface {
	// Name is the protocol name that the members offer in JoinGroup, such as "range". All members of a group that
	// choose one name must mean the same rules and the same user data by it, whatever language they are written in.
	Name() string

	// Supports names the rebalance protocols that this assignor can work under.
	Supports() RebalanceProtocol

	// Assign reads the problem and fills the plan, which comes empty. It must give each partition of the problem to
	// one member that subscribes to its topic, and the same answer for the same problem: it runs in whichever member
	// leads. It must not change the problem, nor keep the plan. An error, like a panic or a plan that breaks these
	// rules, ends the join of the leader (see [Run]). It should return soon after ctx is done.
	Assign(ctx context.Context, p *Problem, plan *Plan) error
}

// RebalanceProtocol is a set of Kafka's rebalance protocols (KIP-429).
type RebalanceProtocol uint8

const (
	// Eager members give up all that they own before they join, so that a plan may move anything at once.
	Eager RebalanceProtocol = 1 << iota
	// Cooperative members keep what they own while they join, so that a partition changes hands in two rebalances.
	Cooperative
)

// Has reports whether the set holds all of want.
func (r RebalanceProtocol) Has(want RebalanceProtocol) bool { return r&want == want }

// String lists the set as Kafka spells its members, such as "eager|cooperative".
func (r RebalanceProtocol) String() string {
	var names []string
	if r.Has(Eager) {
		names = append(names, "eager")
	}
	if r.Has(Cooperative) {
		names = append(names, "cooperative")
	}
	return strings.Join(names, "|")
}
