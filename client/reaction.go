package client

import "github.com/joinsync/joinsync/protocol"

// reaction is what a member does about an error code. The zero value is what an unexpected code gets.
type reaction uint8

const (
	final   reaction = iota // end the member
	atOnce                  // join again at once
	backOff                 // join again after RetryBackoff
)

// joinReactions are the rows of G-465 that are not final.
var joinReactions = map[protocol.ErrorCode]reaction{
	protocol.CoordinatorLoadInProgress: backOff,
	protocol.CoordinatorNotAvailable:   backOff, // the session looks the coordinator up again
	protocol.NotCoordinator:            backOff, // likewise
	protocol.UnknownMemberID:           atOnce,
	protocol.MemberIDRequired:          atOnce,
	protocol.RebalanceInProgress:       atOnce,
}

// syncReactions are the rows of G-466 that are not final.
var syncReactions = map[protocol.ErrorCode]reaction{
	protocol.CoordinatorNotAvailable: backOff,
	protocol.NotCoordinator:          backOff,
	protocol.RebalanceInProgress:     atOnce,
	protocol.UnknownMemberID:         atOnce,
	protocol.IllegalGeneration:       atOnce,
}
