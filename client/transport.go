package client

import "github.com/joinsync/joinsync/protocol"

// The seam between a member and the cluster. It stands in package protocol, because a coordinator in the same process
// implements it too, and neither side may import the other.
type (
	// Transport opens one session for each member.
	Transport = protocol.Transport
	// Session carries a member's requests. See [Permanent] for what a member makes of its errors.
	Session = protocol.Session
	// Identity is what a member says of itself when it opens a session.
	Identity = protocol.Identity
)

// Permanent reports whether a session's error is one that no retry mends: a wrong password, a peer that is no Kafka
// broker, a broker too old. A member ends with such an error at once; it retries every other one with back-off.
//
// A session marks its error by a method Permanent() bool. An error that wraps a [protocol.ErrorCode] is the answer of
// the coordinator look-up, and permanent unless the code is retriable (G-469).
func Permanent(err error) bool {
	if marked, ok := asPermanent(err); ok {
		return marked.Permanent()
	}
	code, ok := codeOf(err)
	return ok && (code == protocol.GroupAuthorizationFailed || !code.Retriable())
}
