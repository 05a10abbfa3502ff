// Package assignor decides which member of a group owns which partition: the interface that an own assignor is written
// against, the assignors that Kafka's clients come with, and some by weight, by lag and with copies of state.
//
// # The way of one assignment
//
// The leader of a generation has every member's metadata from JoinGroup, and owes SyncGroup an assignment for each:
//
//	group, err := assignor.Decode(join)         // the subscriptions; group.Topics() is what to fetch metadata of
//	problem, err := group.Problem(cluster)      // matched with the topics that exist
//	plan, err := assignor.Run(ctx, a, problem)  // solved, and checked
//	for m, member := range problem.Members {
//		// SyncGroup's assignment of member.ID:
//		bytes := plan.Append(nil, m)
//	}
//
// [Solve] is the first three in one, where the cluster is known beforehand.
//
// # Problem and Plan
//
// A [Problem] is all that an assignor may base its answer on, by index, sorted: topics with partitions and racks; members
// with subscription, rack, what they owned, in which generation, and their user data. Members with the same subscription
// share one [Class]. A [Plan] takes owners for partitions, and user data for members. A million partitions and ten
// thousand members are ordinary sizes for both. For the small case [Simple] makes an assignor of a function over maps
// of names, which need not know either.
//
// An [Assignor] gives each partition of the problem to one member that subscribes to its topic, and gives the same answer
// for the same problem. [Run] holds it to the first and keeps panics and endless loops away from its caller. Topics that
// do not exist, or to which nobody subscribes, are not in the problem.
//
// More methods give an assignor a say in the member, too ([UserDataAssignor], [AssignmentListener]). One is built on
// another by running that one, on a part of the problem perhaps ([Problem.Filter]), and taking over its plan ([Plan.Adopt]);
// [FallBack] is the usual case of it.
//
// # Sticky assignments
//
// [Sticky] and [CooperativeSticky] make the most even plan that there is, and of these one that keeps the most partitions near
// their members and then with the members that had them. What these had, each says itself: in user data
// ([UserDataAssignor]), or in what it owns as it joins ([Member].Owned, KIP-429). A member of the cooperative kind goes on
// with what it owns while it joins, so a plan withholds from a member what another one has yet to give up:
// [Plan.Owner] is what is planned, [Plan.Partitions] what is sent in this round, and in the next round, when that one has
// joined again without it, the rest is sent. [Plan.WithholdMoving] does so for any assignor.
//
// [Standby] does the same and gives each partition, besides its owner, a second: a member that keeps a copy of its state and takes
// it over when the owner goes.
//
// # Weights
//
// [Weighted] shares out what a function of yours says that partitions weigh, instead of their number, and is sticky as well;
// [LagAware] shares out what the group has yet to read, as far as offsets are known ([Problem.Offsets]).
//
// # Whose fault
//
// What the peers send can be anything. It is dropped, the group goes on, and a [Note] says what was dropped:
// metadata that cannot be read, topics that do not exist, claims of partitions that do not exist. Errors are for faults
// of the caller (a member or a topic listed twice, a negative partition count) and of the assignor. No input panics.
//
// Nothing here logs, and nothing reads a clock, a network or a random source.
package assignor
