// Package consumer is the consumer role of a group member: it subscribes to topics by name, is assigned partitions of
// them by the group's assignor, is called back when it gets and gives up partitions, and commits how far it has come.
// It does not fetch records: any client can do that for the partitions that it owns.
//
// [New] makes a [Consumer] over a transport, [Consumer.Join] joins, and [Consumer.Close] leaves. In between the member
// underneath (package client) follows every rebalance by itself. Rebalances are eager: before each one a consumer gives
// up all it owns, and after it gets its whole new assignment.
//
//	Config.OnAssigned(partitions) ─ work, Commit ─ Config.OnRevoked(partitions) ─ OnAssigned ─ … ─ OnRevoked
//
// In the leader the consumer also plans for the whole group: it reads what every member subscribes to, asks the cluster
// for the partitions of those topics, has the assignor that the group chose make the plan, and sends it to the
// coordinator. Topics that do not exist are left out and reported; the leader looks again from time to time, and starts
// a rebalance when the partitions have changed (G-485 to G-488).
//
// Bytes are those of Kafka's own consumers, so that members of both kinds share a group.
package consumer
