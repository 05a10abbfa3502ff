package protocol

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kerr"
)

// An ErrorCode is Kafka's int16 error code. It keeps its number even when this library does not know it.
//
// Like syscall.Errno a code is an error in itself, and [ErrorCode.Err] turns [None] into nil. For a code that kerr
// knows, errors.Is and errors.As find the kerr error inside it; errors.As finds the ErrorCode, number and all, inside
// any error that wraps it.
type ErrorCode int16

// The codes that group APIs answer (G-218), and those that stand between a client and its coordinator.
const (
	UnknownServerError                 ErrorCode = -1
	None                               ErrorCode = 0
	UnknownTopicOrPartition            ErrorCode = 3
	NotLeaderOrFollower                ErrorCode = 6
	RequestTimedOut                    ErrorCode = 7
	OffsetMetadataTooLarge             ErrorCode = 12
	CoordinatorLoadInProgress          ErrorCode = 14
	CoordinatorNotAvailable            ErrorCode = 15
	NotCoordinator                     ErrorCode = 16
	InvalidTopic                       ErrorCode = 17
	IllegalGeneration                  ErrorCode = 22
	InconsistentGroupProtocol          ErrorCode = 23
	InvalidGroupID                     ErrorCode = 24
	UnknownMemberID                    ErrorCode = 25
	InvalidSessionTimeout              ErrorCode = 26
	RebalanceInProgress                ErrorCode = 27
	InvalidCommitOffsetSize            ErrorCode = 28
	TopicAuthorizationFailed           ErrorCode = 29
	GroupAuthorizationFailed           ErrorCode = 30
	ClusterAuthorizationFailed         ErrorCode = 31
	UnsupportedSASLMechanism           ErrorCode = 33
	IllegalSASLState                   ErrorCode = 34
	UnsupportedVersion                 ErrorCode = 35
	InvalidRequest                     ErrorCode = 42
	InvalidTxnState                    ErrorCode = 48
	TransactionalIDAuthorizationFailed ErrorCode = 53
	SASLAuthenticationFailed           ErrorCode = 58
	NonEmptyGroup                      ErrorCode = 68
	GroupIDNotFound                    ErrorCode = 69
	MemberIDRequired                   ErrorCode = 79
	GroupMaxSizeReached                ErrorCode = 81
	FencedInstanceID                   ErrorCode = 82
	GroupSubscribedToTopic             ErrorCode = 86
	UnstableOffsetCommit               ErrorCode = 88
	UnknownTopicID                     ErrorCode = 100
	FencedMemberEpoch                  ErrorCode = 110
	UnreleasedInstanceID               ErrorCode = 111
	UnsupportedAssignor                ErrorCode = 112
	StaleMemberEpoch                   ErrorCode = 113
	TransactionAbortable               ErrorCode = 120
	InvalidRegularExpression           ErrorCode = 128
)

// String returns Kafka's name of the code, such as REBALANCE_IN_PROGRESS; NONE for 0; ERROR_CODE_1234 for a code that
// this library does not know.
func (c ErrorCode) String() string {
	switch known := c.known(); {
	case c == None:
		return "NONE"
	case c == NotLeaderOrFollower:
		return "NOT_LEADER_OR_FOLLOWER" // kerr has the name from before Kafka 2.6
	case known == nil:
		return fmt.Sprintf("ERROR_CODE_%d", int16(c))
	default:
		return known.Message
	}
}

// Error returns the code's name with what it means, and for the codes of group APIs what to do about it.
func (c ErrorCode) Error() string {
	if cure, ok := cures[c]; ok {
		return c.String() + ": " + cure
	}
	if known := c.known(); known != nil {
		return c.String() + ": " + sentence(known.Description)
	}
	return c.String()
}

// Err returns nil for [None] and the code itself, as an error, for every other.
func (c ErrorCode) Err() error {
	if c == None {
		return nil
	}
	return c
}

// Unwrap returns kerr's error for the code, or nil where kerr has none.
func (c ErrorCode) Unwrap() error {
	if known := c.known(); known != nil {
		return known
	}
	return nil
}

// Retriable reports whether Kafka's own client counts the code as one that passes if the same request is sent again.
// False does not mean that all is lost: REBALANCE_IN_PROGRESS and ILLEGAL_GENERATION, say, are cured by a new join.
func (c ErrorCode) Retriable() bool {
	switch c {
	case 8: // BROKER_NOT_AVAILABLE: kerr retries it, Kafka's client does not
		return false
	case 51, 122, 123: // CONCURRENT_TRANSACTIONS and two of share sessions: the other way round
		return true
	}
	known := c.known()
	return known != nil && known.Retriable
}

// known returns kerr's error for the code; nil if there is none, and for None. kerr answers UnknownServerError for
// every code that it does not know.
func (c ErrorCode) known() *kerr.Error {
	known := kerr.TypedErrorForCode(int16(c))
	if known == nil || known.Code != int16(c) {
		return nil
	}
	return known
}

// sentence fits a description of kerr's into the middle of an error text.
func sentence(description string) string {
	first, size := utf8.DecodeRuneInString(description)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(description[size:], ".")
}
