package group

// RecordKind tells what a Record is.
type RecordKind uint8

// The kinds of records, each with the key version that it has in __consumer_offsets.
const (
	MetadataRecord    RecordKind = iota + 1 // key 2: the group's generation and members
	MetadataTombstone                       // key 2 without a value: the group is gone
	OffsetRecord                            // key 1: a committed offset
	OffsetTombstone                         // key 1 without a value: a committed offset is gone

	// Kafka keeps an offset of a transaction under way as key 1 in a transactional batch, and one record for the end of
	// the transaction. Here it is a record of its own until the end, which is the batch that replaces it.
	PendingOffsetRecord    // an offset that ProducerID's transaction will commit
	PendingOffsetTombstone // it is settled
)

// Record is one change that Kafka persists, with Kafka's fields (G-326 to G-330). The group id is the group's own.
type Record struct {
	Kind     RecordKind
	Metadata *Metadata // MetadataRecord

	Topic      string // of all records of offsets
	Partition  int32
	Offset     Offset // OffsetRecord, PendingOffsetRecord
	ProducerID int64  // PendingOffsetRecord, PendingOffsetTombstone
}

// Metadata is a completed generation: what survives of a group when its coordinator does not (G-330). A Metadata
// without members is an Empty group's.
type Metadata struct {
	ProtocolType string // empty: none
	Generation   int32
	Protocol     string // empty: none
	Leader       string // member id; empty: none
	Timestamp    Time   // of the last change of state; -1: unknown
	Members      []MemberMetadata
}

// MemberMetadata is one member of a completed generation.
type MemberMetadata struct {
	ID               string
	InstanceID       *string
	ClientID         string
	ClientHost       string
	RebalanceTimeout Millis // -1: as the session time-out (G-209)
	SessionTimeout   Millis
	Subscription     []byte // the metadata for the selected protocol, and only for it (G-332)
	Assignment       []byte
}

// Offset is a committed offset of one partition.
type Offset struct {
	Offset          int64
	LeaderEpoch     int32 // -1: none
	Metadata        string
	CommitTimestamp Time
	ExpireTimestamp Time // -1: none of its own (G-252)
}
