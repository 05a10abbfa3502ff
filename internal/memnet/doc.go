// Package memnet is a network within a process: connections with a buffer in each direction, so that a peer can send
// ahead of the other's reading, which net.Pipe does not let it. Everything in it waits in a way that testing/synctest
// understands.
//
// It has the parts of a network that servers and clients of a stream meet: listening and dialing, deadlines, a buffer
// that is full, an end of the stream that comes after what was sent before it. It loses nothing and takes no time.
package memnet
