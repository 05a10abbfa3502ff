// Package protocol is the wire of group membership: versions and their negotiation, frames and headers, strict decoding
// of requests, error codes, the member metadata of the consumer protocol, and the records of __consumer_offsets.
//
// It has no sockets and no state, and it never logs. Its types are values; its functions may be called concurrently.
// What crosses the line between a member and a coordinator is kmsg's request and response structs; [Session] is the
// seam at which the two meet, whether a network lies between them or not.
//
// # Bytes from peers
//
// Nothing that a peer sends makes a decoder panic, or allocate out of proportion to the bytes that really came. How
// strict a decoder is follows Kafka:
//
//   - Requests ([ReadFrame], [ReadRequestHeader], [DecodeRequest]) are read strictly: each byte must belong to a field.
//   - Member metadata ([DecodeSubscription], [DecodeAssignment]) of a newer version than ours is read as ours, since
//     each version begins with the one before (G-530, G-532).
//   - A partition's log ([ReadLog]) must be whole: what is damaged or cut off is an error.
//   - Records ([DecodeRecord]) of kinds that are not known are reported, not refused; those of known kinds must be
//     well-formed (G-312).
//
// A decoder's comment says what of its result refers to the bytes that it was given, and what is a copy.
//
// # Errors
//
// [ErrorCode] is a code on the wire; as a Go error it says what to do. [VersionError], [DecodeError] and
// [FrameSizeError] are what a server finds wrong with a client, each of them fatal to the connection, but for an
// ApiVersions request of a version that is too new, which is answered.
//
// # Java's strings
//
// Where Kafka's rules are about strings they mean Java's: [PartitionFor], [CompareJava] and [JavaLen] compute them.
package protocol
