package group

// Config is what a group takes from its coordinator's settings. One Config serves any number of groups; it is read
// only and must not change while they use it. Unlike the configs for people, its zero values are meant literally: the
// coordinator fills in Kafka's defaults.
type Config struct {
	// InitialRebalanceDelay is how long the first join phase of an Empty group waits for more members
	// (group.initial.rebalance.delay.ms, KIP-134).
	InitialRebalanceDelay Millis

	// MaxSize bounds the members of a group (group.max.size, KIP-389).
	MaxSize int

	// MaxPending bounds the member ids that were given out and have not joined yet. Kafka has no such bound; without
	// one, a peer that asks for ids and never joins fills the memory until their session time-outs pass.
	MaxPending int

	// OffsetMetadataMax bounds the metadata of a committed offset, counted in UTF-16 code units
	// (offset.metadata.max.bytes, G-249).
	OffsetMetadataMax int

	// OffsetsRetention is how many milliseconds an offset is kept after the group became Empty, or after the commit
	// (offsets.retention.minutes, KIP-211; G-317).
	OffsetsRetention int64

	// SubscribedTopics reads the topics that a consumer's metadata names, or says that it does not read. It must be a
	// pure function: the group knows no bytes of the wire. Nil: none of them reads (G-094).
	SubscribedTopics func(metadata []byte) (topics []string, ok bool)
}

// newMemberJoinTimeout replaces the session time-out of a new member until its first join is answered (G-055, G-129).
// It is not configurable in Kafka either.
const newMemberJoinTimeout Millis = 300_000

// minAbsentWait is the least that a join phase waits at a time for static members that are all away (G-081).
const minAbsentWait Millis = 100
