package protocol

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Identity is what a member says of itself when it opens a session.
type Identity struct {
	// ClientID is sent with every request; the coordinator derives member ids from it (G-017). Empty is legal.
	ClientID string
}

// A Transport opens sessions: over a network, or to a coordinator in the same process.
type Transport interface {
	// Open returns a session of its own for one member. It may be called concurrently. It need not reach the
	// coordinator; the first request does.
	Open(ctx context.Context, id Identity) (Session, error)
}

// A Session carries one member's requests to the coordinator of its group and to the cluster's topics: ListOffsets to the leaders of
// its partitions, where there are such.
//
// A session chooses the version of every request (the highest that both sides know; the caller leaves it unset),
// finds the coordinator again after it moved, and reports every error code as it came: it retries nothing and hides
// nothing. Requests may be made concurrently, and a parked JoinGroup or SyncGroup delays no other request.
type Session interface {
	// Request sends req and waits for the response or for the end of ctx. The session owns req and the bytes it
	// points to from then on: the caller must not change them. An error means that no response came, and says nothing
	// about whether the coordinator has acted on the request.
	Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error)

	// Close ends the session; requests that are under way return an error. It does not leave the group.
	Close() error
}
