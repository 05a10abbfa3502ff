package group

import "strconv"

// Error is a Kafka error code. The core knows those that it answers with; any other keeps its number.
type Error int16

// The codes that the core answers with (G-218).
const (
	UnknownServerError        Error = -1
	None                      Error = 0
	OffsetMetadataTooLarge    Error = 12
	CoordinatorNotAvailable   Error = 15
	NotCoordinator            Error = 16
	IllegalGeneration         Error = 22
	InconsistentGroupProtocol Error = 23
	UnknownMemberID           Error = 25
	RebalanceInProgress       Error = 27
	NonEmptyGroup             Error = 68
	GroupIDNotFound           Error = 69
	MemberIDRequired          Error = 79
	GroupMaxSizeReached       Error = 81
	FencedInstanceID          Error = 82
	GroupSubscribedToTopic    Error = 86
)

// String returns Kafka's name of the code.
func (e Error) String() string {
	switch e {
	case UnknownServerError:
		return "UNKNOWN_SERVER_ERROR"
	case None:
		return "NONE"
	case OffsetMetadataTooLarge:
		return "OFFSET_METADATA_TOO_LARGE"
	case CoordinatorNotAvailable:
		return "COORDINATOR_NOT_AVAILABLE"
	case NotCoordinator:
		return "NOT_COORDINATOR"
	case IllegalGeneration:
		return "ILLEGAL_GENERATION"
	case InconsistentGroupProtocol:
		return "INCONSISTENT_GROUP_PROTOCOL"
	case UnknownMemberID:
		return "UNKNOWN_MEMBER_ID"
	case RebalanceInProgress:
		return "REBALANCE_IN_PROGRESS"
	case NonEmptyGroup:
		return "NON_EMPTY_GROUP"
	case GroupIDNotFound:
		return "GROUP_ID_NOT_FOUND"
	case MemberIDRequired:
		return "MEMBER_ID_REQUIRED"
	case GroupMaxSizeReached:
		return "GROUP_MAX_SIZE_REACHED"
	case FencedInstanceID:
		return "FENCED_INSTANCE_ID"
	case GroupSubscribedToTopic:
		return "GROUP_SUBSCRIBED_TO_TOPIC"
	}
	return "ERROR_CODE_" + strconv.Itoa(int(e))
}
