// Package coordinator is many groups at once: Kafka's group coordinator as a part of one's own process. It turns requests
// of any version into events of package group and the group's answers back into responses, keeps the records of each
// group in a store before it answers what depends on them, and keeps the time for all of them.
//
// # Use
//
// [New] makes a [Coordinator]. Members in the same process open sessions with [Coordinator.Open], which makes it a
// transport of package client; a server for the network calls [Coordinator.Handle] with each request that it has
// decoded. Either way the answers are those of an Apache Kafka broker. All of it works inside a testing/synctest bubble.
//
// # Partitions and owners
//
// A group belongs to one partition, by the hash of its id as in Kafka (G-232). A partition has one owner at a time:
// whoever brings a request while nobody is there runs it at once, on its own goroutine; everyone else leaves theirs to
// that one. Nothing of a group is behind a lock, an uncontended request does not change goroutines, and an owner never
// blocks: the store answers by calling back, and what waits for it waits in a queue of its group while other groups
// go on.
//
// # Records before replies
//
// A [Store] keeps the records, which are those of Kafka's __consumer_offsets. It takes a batch and says later whether the
// batch is stored, refused, or nobody knows. Refused records are as if they had never been: the group tells whoever
// waited. When nobody knows, the partition is given up and loaded again from the store, and everybody is answered with
// an error that makes clients look the coordinator up again. Commits that arrive while a group's batch is on its way
// share the next batch.
//
// [Import] fills a store with the groups and offsets of a real Kafka, from the logs of its __consumer_offsets.
//
// # Bounds
//
// A peer controls how many requests wait (at most Config.MaxQueued for each group while the store is at work, and one
// parked JoinGroup and SyncGroup for each member), how many member ids are given out without a join
// (Config.MaxPendingMembers), how many members a group has (Config.MaxGroupSize), and how much one request may store
// (Config.MaxBatchBytes).
package coordinator
