package client

import (
	"time"
)

// Events are called at each step of a member's life: for a timeline, for metrics, for a test. A nil func is skipped.
//
// All of them are called by one goroutine, the member's own, one after another and in the order in which things
// happen. The member stands still meanwhile (its heartbeats do not), so a func must return quickly, and must not wait
// for the member. It may call the member's other methods.
//
// The seven steps of one join: [Events.JoinGroupSent], [Events.MemberIDGiven] and JoinGroupSent again,
// [Events.Joined], in the leader [Events.AssignmentComputed], [Events.SyncGroupSent], [Events.Synced], and
// [Events.Assigned].
type Events struct {
	// JoinGroupSent: the member is about to send JoinGroup.
	JoinGroupSent func(JoinGroupSent)
	// MemberIDGiven: the coordinator chose a member id and wants the join again with it (KIP-394).
	MemberIDGiven func(memberID string)
	// Joined: JoinGroup was answered with a generation.
	Joined func(Joined)
	// AssignmentComputed: the leader has its assignment ready.
	AssignmentComputed func(AssignmentComputed)
	// SyncGroupSent: the member is about to send SyncGroup.
	SyncGroupSent func(Generation)
	// Synced: SyncGroup was answered with an assignment.
	Synced func(Assignment)
	// Assigned: the Protocol has taken its assignment over.
	Assigned func(Assignment)

	// RejoinNeeded: a stable member will join again.
	RejoinNeeded func(RejoinNeeded)
	// Released: the Protocol has given its assignment up. A cooperative one may keep it while the member joins again.
	Released func(Release)
	// Retrying: a request failed, and the member tries again after a pause. Heartbeats, which are of another goroutine, are
	// told to the Logger only.
	Retrying func(Retrying)
	// Left: LeaveGroup has been sent, and answered unless err says otherwise.
	Left func(generation Generation, err error)
	// Ended: the member is over; the last event. err is what [Member.Err] returns.
	Ended func(err error)
}

// JoinGroupSent is what a member joins with.
type JoinGroupSent struct {
	MemberID string   // empty when the member has none yet
	Offers   []string // protocol names in order of preference
	Reason   string   // why it joins (KIP-800); empty the first time
}

// Joined is a member's place in a new generation.
type Joined struct {
	Generation Generation
	Leader     string // member id of the leader
	Members    int    // how many members the generation has; 0 in followers, who are not told
}

// AssignmentComputed is the leader's work on a new generation.
type AssignmentComputed struct {
	Generation Generation
	Members    int           // how many members were given something
	Bytes      int           // encoded size of all assignments
	Elapsed    time.Duration // what it took
	Skipped    bool          // the coordinator kept the assignment that it had (KIP-814)
}

// RejoinNeeded is why a member joins again.
type RejoinNeeded struct {
	Generation Generation // the one that ends
	Reason     string     // as it goes into JoinGroup (KIP-800)
}

// Retrying is a failure that the member gets over by itself.
type Retrying struct {
	Err   error
	After time.Duration // the pause; 0 means at once
}
