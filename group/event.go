package group

// Kind tells what an Event is, and what a Reply answers.
type Kind uint8

// The kinds of events. Join to TopicDeleted are requests and carry a Token; the others come from the caller.
const (
	Join      Kind = iota + 1 // JoinGroup
	Sync                      // SyncGroup
	Heartbeat                 // Heartbeat
	Leave                     // LeaveGroup
	Commit                    // OffsetCommit, TxnOffsetCommit

	// Requests of administrators, and of a transaction's coordinator.
	EndTransaction // a producer's transaction is over
	DeleteOffsets  // OffsetDelete
	DeleteGroup    // DeleteGroups
	TopicDeleted   // a topic is no more

	Expire  // it is time to look for offsets that are too old
	Tick    // the deadline of NextDeadline has come
	Stored  // the records of the last output are durable, and were given to Apply
	Refused // nothing of the last output's records is durable; Error says why
	Load    // the replay of the group's records is over: it is live from now on
	Unload  // the group's partition is no longer ours: answer everybody, then Dead
)

var kindNames = [...]string{"", "Join", "Sync", "Heartbeat", "Leave", "Commit", "EndTransaction", "DeleteOffsets", "DeleteGroup", "TopicDeleted", "Expire", "Tick", "Stored", "Refused", "Load", "Unload"}

// String returns the kind's name as in this package.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Unknown"
}

// Token names one request. The core keeps it while the request is parked and gives it back in exactly one Reply.
// Tokens of requests under way must differ; zero is none.
type Token uint64

// Event is one thing that happens to a group: a tagged union, of which Kind says what fields count. Requests come in
// one form whatever API version they had on the wire: where behaviour depends on the version, a field names the fact.
// The group keeps slices, strings and instance ids of an event, and never changes them: nor may its sender.
type Event struct {
	Kind  Kind
	Token Token

	// Who asks (Join, Sync, Heartbeat, Commit). An empty MemberID is a joiner's that has none yet (G-020); a nil
	// InstanceID is a dynamic member's.
	MemberID   string
	InstanceID *string

	// Generation is the one that the sender believes in (Sync, Heartbeat, Commit); -1 is none.
	Generation int32

	// ProtocolType is that of a joiner, or of a Sync with NamesProtocol.
	ProtocolType string

	// Join.
	Protocols        []Protocol // in order of preference; of a doubled name the first counts (G-093)
	SessionTimeout   Millis     // checked against its bounds by the caller (G-026)
	RebalanceTimeout Millis
	ClientID         string
	ClientHost       string // with Java's leading slash (G-009)
	NewMemberID      string // the id to give if the joiner needs one (G-017, G-018)
	RequiresKnownID  bool   // a dynamic joiner without id must come again with the one it is given (KIP-394)
	KnowsSkip        bool   // the sender understands an answer that says to skip the assignment (KIP-814)

	// Sync.
	NamesProtocol bool         // ProtocolType and ProtocolName are given and must match (KIP-559)
	ProtocolName  string       // with NamesProtocol
	Assignments   []Assignment // the leader's; others' are ignored (G-109)

	// Leave: each member that goes, in order (KIP-345).
	Leaving []LeavingMember

	// Commit. A transactional one takes effect with the end of the producer's transaction (KIP-98).
	Offsets       []OffsetCommit
	Transactional bool

	// ProducerID is whose transaction it is (Commit if Transactional, EndTransaction).
	ProducerID int64
	Committed  bool // EndTransaction: not aborted

	Partitions []TopicPartition // DeleteOffsets
	Topic      string           // TopicDeleted

	// Error is why records were refused (Refused), or what parked requests are to be told (Unload).
	Error Error
}

// Protocol is one protocol that a member supports: for consumers an assignor's name and the subscription for it.
type Protocol struct {
	Name     string
	Metadata []byte
}

// Assignment is what the leader gives to one member.
type Assignment struct {
	MemberID   string
	Assignment []byte
}

// LeavingMember names one member of a Leave: by id, or by instance id alone (an administrative removal, G-160).
type LeavingMember struct {
	MemberID   string
	InstanceID *string
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// OffsetCommit is one partition of a Commit.
type OffsetCommit struct {
	Topic       string
	Partition   int32
	Offset      int64
	LeaderEpoch int32 // -1: none
	Metadata    string
	Retention   int64 // milliseconds until the offset expires by itself; -1: by the coordinator's setting (G-252)
}
