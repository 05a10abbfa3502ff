package assignor

import (
	"time"

	"github.com/joinsync/joinsync/protocol"
)

// Assignment is what a member has been assigned, as its assignor in that member sees it.
type Assignment struct {
	Generation int32                      // in which it was assigned; -1 if nothing was yet
	Partitions []protocol.TopicPartitions // sorted by topic, in Java's string order; each topic's numbers ascending
	UserData   []byte                     // what the leader's assignor has attached ([Plan.SetUserData]); nil if nothing. Not trustworthy.
}

// UserDataAssignor is an assignor whose members add something of their own to their subscription, the counterpart of
// Java's subscriptionUserData.
type UserDataAssignor interface {
	Assignor

	// UserData is what a member that offers this assignor sends as the user data of its subscription, given what it was
	// last assigned. Nil is to send none.
	UserData(last Assignment) []byte
}

// AssignmentListener is an assignor that looks at what its member is assigned, the counterpart of Java's onAssignment.
type AssignmentListener interface {
	Assignor

	// OnAssignment is called in each member when the group goes by this assignor, before the member takes the assignment over.
	// If rejoin is true the member joins again when after has passed, or at once if that is 0 or less, unless the group has
	// rebalanced by then: to ask for a rebalance each time, and at once, keeps the group from ever working.
	OnAssignment(a Assignment) (rejoin bool, after time.Duration)
}
