// Command bench times what a coordinator is for, ours beside kfake's, and prints three tables.
//
// Three coordinators do the same work, each run in turn so that what disturbs the machine disturbs all alike:
//
//   - ours in this process, reached by function calls (package coordinator);
//   - ours behind its server (package coordinator/broker), reached by frames over kfake's in-memory network, and over TCP;
//   - kfake, reached by the same frames over the same networks.
//
// The members are those of package client, with a Protocol that assigns eight bytes to each. Over the network each has
// two connections, one for JoinGroup and SyncGroup, which a coordinator parks, and one for everything else; this is how
// franz-go does it, but without its other work. Nobody waits for a clock: no initial rebalance delay (kfake has none),
// and members are told of a rebalance by a heartbeat that is sent as soon as it has begun, and not up to three seconds
// later. So a time is that of the messages and of the work on them.
//
// That work is the members' own for the most part. The rows "bare" leave them out: the same group, whose members join
// again as soon as their leader has, each with a heartbeat, a JoinGroup and a SyncGroup and nothing around them. So do the
// rows of heartbeats and of many groups.
//
// kfake answers a first join at once and then starts over with each member that comes; it usually needs more
// generations than ours, which waits, as Kafka does, for all who were given a member id. The column of generations
// tells.
//
// The last table is of our coordinator in process alone: with groups that have nothing but members, and with groups that
// have committed offsets and open transactions besides.
package main
