// Package consumer is the consumer role of a group member: topics to subscribe to, an assignor to share their partitions
// by, callbacks around each rebalance, and committed offsets. It fetches no records: partitions in hand, any client does.
//
// # Rebalances
//
// A consumer is eager or, if all its assignors support that, cooperative (KIP-429, G-497). An eager one gives up all its
// partitions before each rebalance, and afterwards it is given all anew. A cooperative one goes on with them while the group
// rebalances; then it gives up what it was not assigned again, and joins once more so that others get that. The callbacks
// come from one goroutine, with partitions sorted by topic and number. Each partition is assigned and given up in turn:
//
//	OnAssigned   what the member owns from now on, if it is cooperative beyond what it has kept; also if it is nothing
//	OnRevoked    it has to give them up: stop, and commit what is done, which still counts
//	  or OnLost  it has lost them already: others may own them, a commit would be refused
//
// All members of a group should be of one kind. To change a group from eager to cooperative takes two rolling restarts:
// first every member gets the cooperative assignor beside the eager one, then the eager one goes.
//
// A callback may take up to the rebalance timeout (Config.Member) before the coordinator goes on without the member;
// its heartbeats continue. It may call Commit and Committed; it must not wait for Join or Close. One that panics ends the
// consumer.
//
// # Assignments
//
// The leader reads every member's subscription, fetches the partitions of all their topics, and runs the assignor that
// the group has chosen. What is wrong with the peers does not stop the group: metadata that cannot be read, a topic that
// does not exist or may not be described is left out, logged, and told to Config.OnNotes. While a topic is missing the
// leader looks for it every few seconds, and otherwise looks for new partitions every Config.MetadataMaxAge; a change
// makes the group rebalance. What is wrong with the assignor itself (an error, a panic, a plan that is not complete)
// ends this member, with an error that names the assignor and the cure: it leaves, and the next leader takes over.
//
// # Offsets
//
// [Consumer.Commit] commits as a member: the coordinator refuses it once the member's generation has ended, so that a
// member that was away too long cannot overwrite what its successor has committed. [ErrRebalanceInProgress] and
// [ErrCommitFailed] say so. While the group rebalances nothing can be committed, not even of what is kept.
// [Consumer.Committed] reads what is committed, with transactions in flight awaited (KIP-447).
//
// An assignor that goes by offsets ([assignor.LagAware]) gets them in the leader: what the group has committed, and from where
// to where the logs go, which their leaders tell (ListOffsets). A partition that has no leader just then has no lag. Where
// there are no logs, as with a coordinator in process, Config.Offsets tells them.
package consumer
