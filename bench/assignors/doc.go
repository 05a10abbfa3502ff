// Command assignors times what a leader does, ours beside Java's, franz-go's and Sarama's on the same inputs, and prints tables.
//
// What is timed is the way from JoinGroup's answer to SyncGroup: decode every member's metadata, assign, encode every member's
// assignment. Every side gets the same bytes, from a file, and its plan goes through the same checks: whoever leaves a partition
// out or gives it twice has failed, however fast. The figure is the CPU time of the whole process, with the collector's, on
// one core; Java is warmed up first.
//
// Each figure is of a process of its own, so that one that would take minutes, or more memory than there is, can be cut off.
package main
