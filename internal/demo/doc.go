// Package demo plays the life of one consumer group in this process, shows it on a timeline, and checks what it shows:
// three members share a topic, one leaves, one is killed and expires, a late one resumes at the committed offsets.
//
// Everything in it is real and nothing leaves the process: the groups are those of package coordinator, the members those of
// package client/consumer, in sessions of the coordinator; the records lie in kfake and are read by franz-go, over a
// network in memory without a port.
package demo
