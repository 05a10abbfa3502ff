package client

import "context"

// Protocol is what the members of a group agree on: the plug-in that makes a [Member] a consumer, a Connect worker or
// something of your own. It is the counterpart of what Java's AbstractCoordinator leaves to its subclasses.
//
// The member calls one method at a time, from its own goroutine, while heartbeats go on beside it. A method may
// therefore take up to the rebalance timeout; it must not wait for a future of the same member, nor call its Close.
// The context of a method ends when Close gives up waiting. An error or a panic is final: the future of [Member.Join]
// completes with it, and the member leaves, so that the others go on without it.
type Protocol interface {
	// Type is the protocol type, the same for all members of a group and for the life of this one: "consumer",
	// "connect", or a name of your own.
	Type() string

	// Offers lists what the member can work under, in order of preference: at least one, each name once. It is asked
	// before each JoinGroup, after Release. All members must share one name; the group votes for it (G-087).
	Offers() []Offer

	// PerformAssignment is called in the leader, between JoinGroup and SyncGroup. It returns what each member gets,
	// by member id; a member left out gets nothing. The coordinator passes the bytes on unread.
	PerformAssignment(ctx context.Context, election Election) (map[string][]byte, error)

	// Assigned tells the member what it has been given, once the group is stable (Java's onJoinComplete). Until the
	// next Release that is its own, instead of what it has kept.
	Assigned(ctx context.Context, assignment Assignment) error

	// Release tells the member to give up its assignment, before it joins again or leaves (Java's onJoinPrepare). It
	// follows every Assigned. Commits still count while it runs, unless release.Lost says otherwise.
	//
	// A cooperative member (KIP-429) may keep its assignment, or some of it, while it joins again, and returns true. It is then
	// asked again before every further JoinGroup until it keeps nothing or is assigned anew. When release.Lost or
	// release.Leaving is set nothing can be kept.
	Release(ctx context.Context, release Release) (kept bool)
}

// Offer is a protocol name with the member's metadata under it, such as an assignor's name with a subscription.
type Offer struct {
	Name     string
	Metadata []byte // opaque to the coordinator; must not change until the member has ended
}

// Election is what the coordinator tells the leader of a new generation.
type Election struct {
	// Generation is the one to assign. Its MemberID, the member's own, is that of the leader.
	Generation Generation
	// Members are all members of the generation, the leader among them, in the coordinator's order.
	Members []JoinedMember
	// Skip means that the coordinator already has the assignment, and ignores what PerformAssignment returns: a static
	// leader is back after a restart (KIP-814). It is called all the same, because the leader watches over what the
	// assignment depends on.
	Skip bool
}

// JoinedMember is a member as the leader sees it. What it sent is unchecked.
type JoinedMember struct {
	ID         string
	InstanceID string // the group instance id of a static member (KIP-345); empty for a dynamic one
	Metadata   []byte // under the protocol that the group has chosen
}

// Assignment is what a member owns in one generation: the value of the join future.
type Assignment struct {
	Generation Generation
	Leader     bool   // whether this member leads the generation
	Bytes      []byte // what the leader assigned; opaque; empty when it left this member out
}

// Release says how an assignment ends.
type Release struct {
	// Generation is the one in which it was assigned.
	Generation Generation
	// Lost means that the member is out of the group already, or leaves it in the middle of a rebalance, and that others may own
	// what it had (G-492, G-483). There is nothing left to commit or hand over.
	Lost bool
	// Leaving means that the member leaves the group after this; otherwise it joins again.
	Leaving bool
}
