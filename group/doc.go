// Package group is the state of one consumer group and its committed offsets as a pure machine: Kafka's classic group
// protocol (JoinGroup, SyncGroup, Heartbeat, LeaveGroup) and OffsetCommit, without a clock, randomness, goroutines, I/O,
// API versions or wire bytes. It imports the standard library only, and of that nothing that could tell the time or wait.
//
// # The machine
//
// [Group.Step] takes one [Event] at a given time and appends to an [Output]: replies to send now, records to store,
// and the changes that a person would like to know of. [Group.Apply] takes over a durable record, the same way from the
// log and from the group's own batch. [Group.NextDeadline] says when to step a Tick. The same events at the same times give
// the same output, byte for byte: where Kafka leaves an order open, members stand in the order in which they joined.
//
// Records come before replies. A step whose answer depends on records keeps the answer until it is told that they are
// Stored or Refused; [Output] spells out the caller's part. Since nothing else is stepped meanwhile, no change ever has
// to be undone because of what came after it.
//
// # States
//
//	state                is                                           ends when
//	Dead                 no such group, or its partition is gone      a join without member id, a commit without generation, a record
//	Empty                no members; offsets may be committed         the first member joins → PreparingRebalance
//	                                                                  it is deleted, or swept without offsets → Dead
//	PreparingRebalance   members are asked to join (again)            everybody has joined, or the join timer fires
//	                                                                  → CompletingRebalance, or Empty if nobody is left
//	CompletingRebalance  everybody knows generation and leader;       the leader's assignment is stored → Stable
//	                     the leader computes the assignment           a member joins anew, goes, or never syncs → PreparingRebalance
//	Stable               every member may fetch its assignment        a member joins anew, goes, or never syncs → PreparingRebalance
//
// What each request is answered in each state:
//
//	              Dead               Empty              PreparingRebalance     CompletingRebalance      Stable
//	Join, new     Empty, then as →   MEMBER_ID_REQUIRED for who must know its id first; else a new member: parked, rebalance
//	Join, known   UNKNOWN_MEMBER_ID  UNKNOWN_MEMBER_ID  parked                 changed: rebalance       leader, or changed: rebalance
//	                                                                           same: answered at once   same: answered at once
//	Sync          UNKNOWN_MEMBER_ID  UNKNOWN_MEMBER_ID  REBALANCE_IN_PROGRESS  parked                   the assignment
//	Heartbeat     UNKNOWN_MEMBER_ID  UNKNOWN_MEMBER_ID  REBALANCE_IN_PROGRESS  NONE                     NONE
//	Leave         UNKNOWN_MEMBER_ID  UNKNOWN_MEMBER_ID  removed                removed, rebalance       removed, rebalance
//	Commit        GROUP_ID_NOT_FOUND UNKNOWN_MEMBER_ID  NONE                   REBALANCE_IN_PROGRESS    NONE
//	 (no member)  creates the group  NONE               UNKNOWN_MEMBER_ID      UNKNOWN_MEMBER_ID        UNKNOWN_MEMBER_ID
//	DeleteGroup   GROUP_ID_NOT_FOUND → Dead             NON_EMPTY_GROUP        NON_EMPTY_GROUP          NON_EMPTY_GROUP
//	DeleteOffsets GROUP_ID_NOT_FOUND NONE               of consumers, for topics that nobody subscribes to: NONE
//
// A Commit in a transaction needs no member, and is taken in CompletingRebalance too; it takes effect with EndTransaction.
// A sender that is not a member is answered UNKNOWN_MEMBER_ID in every state, a member with another generation
// ILLEGAL_GENERATION, and the holder of an instance id's old member id FENCED_INSTANCE_ID (KIP-345).
//
// # Invariants
//
// They are checked after each step of the exhaustive exploration and of random runs, from inside, and by internal/sim from
// outside.
//
//   - The leader is a member whenever there are members.
//   - Each request is answered, or reported as superseded, exactly once. A member has at most one parked join and one
//     parked sync.
//   - Generations only grow, by one for each completed join phase.
//   - An assignment is seen only by members of the generation that it was made for, and all of one generation's are of one plan.
//   - Whoever is granted a heartbeat, a sync or a member's commit is a member of the generation that it named.
//   - An answer that depends on records comes after they are durable. So a commit that was granted is never lost, and one
//     that was refused is never seen; those of a transaction are not seen before its end.
//   - All members support the selected protocol, and no protocol is counted for more members than list it.
//   - No deadline lies before the time of the step that set it. Nobody is removed for silence within the session time-out.
//   - A group whose members all do their part becomes Stable, and stays so. One that is left alone ends Empty, with everybody
//     answered.
//   - A group rebuilt from its records equals the live one, but for what Kafka loses with a coordinator too: parked
//     requests, ids that have not joined, protocols that were not selected, a rebalance under way (G-211).
//
// Numbers such as G-067 are rules of the behaviour of Apache Kafka's coordinator, which this package follows.
package group
