// Package protocol is the wire of group membership: the versions of each API and their negotiation, strict decoding
// of requests, error codes, the member metadata of the consumer protocol, and the records of __consumer_offsets.
//
// It has no sockets and no state. Its types are values; its functions may be called concurrently. What crosses the
// line between a member and a coordinator is kmsg's request and response structs; [Session] is the seam at which the
// two meet, whether a network lies between them or not.
package protocol
