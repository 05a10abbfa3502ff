// Package client is the member side of Kafka's classic group protocol, for any protocol type: it joins a group, keeps
// its place by heartbeats, follows every rebalance, and leaves.
//
// # The life of a member
//
// [New] checks a [Config] and opens a session. [Member.Join] starts the member and returns a [Future] of what it is
// assigned:
//
//	Join ── JoinGroup (again with the given member id, KIP-394)
//	          ├─ follower: SyncGroup ─────────────────────────────────► assignment
//	          └─ leader:   Protocol.PerformAssignment ─► SyncGroup ───► assignment ─► Protocol.Assigned ─► the future
//
// From then on the member works by itself. When a heartbeat (or whoever calls [Member.Refused]) learns that the group
// rebalances or has thrown the member out, it calls Protocol.Release and joins again. Every Assigned is followed by a
// Release; a Protocol may keep something then, and is asked again until it does not (KIP-429). [Member.Close] releases,
// leaves the group and ends it.
//
// The bytes that members exchange are opaque here. What they mean is the business of a [Protocol]: package
// client/consumer is the one of consumers.
//
// # Errors
//
// A member gets over everything that Kafka's own client gets over, by the same tables (G-465 to
// G-469), and over a cluster that is away for any time once it has answered. It ends with an error that is final: one
// that the coordinator means to be (a fenced instance id, a session timeout out of bounds, no right to the group), one
// that the session marks so (see [Permanent]), any error of the Protocol, or a cluster that cannot be found within
// Config.BootstrapTimeout. Then the open futures complete with the error, Protocol.Release is called, a dynamic member
// leaves the group so that the others go on without it, and [Member.Done] is closed. A member that has ended cannot be
// used again; make a new one.
//
// Errors wrap [github.com/joinsync/joinsync/protocol.ErrorCode] where the coordinator sent one: errors.Is(err,
// protocol.FencedInstanceID) tells.
//
// # Concurrency
//
// One goroutine owns the member: it sends JoinGroup, SyncGroup and LeaveGroup, and calls the Protocol and the Events.
// A second one, for each generation, sends heartbeats, also while the first is busy with the Protocol. The two share
// the member's standing (state and generation) under a lock that is never held over a request or a callback; only the
// first moves it forward, the other may take it back. There is no poll timeout: a member lives as long as its process
// lets it, and nobody has to call it regularly.
package client
