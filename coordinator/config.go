package coordinator

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// Config holds a coordinator's settings, under Kafka's names. The zero value is Kafka's default for each, with records
// in memory and every topic taken to exist. New copies it.
type Config struct {
	// MinSessionTimeout and MaxSessionTimeout bound the session time-out that a member may ask for
	// (group.min.session.timeout.ms, group.max.session.timeout.ms; G-026). Zero: 6 s and 30 min.
	MinSessionTimeout, MaxSessionTimeout time.Duration

	// InitialRebalanceDelay is how long the first members of an Empty group wait for others
	// (group.initial.rebalance.delay.ms; KIP-134). Zero: 3 s. Negative: none.
	InitialRebalanceDelay time.Duration

	// MaxGroupSize bounds the members of a group (group.max.size; KIP-389). Zero: no bound.
	MaxGroupSize int

	// MaxPendingMembers bounds, for each group, the member ids that were given out and did not join yet. Kafka has no
	// such bound. Zero: 100,000.
	MaxPendingMembers int

	// OffsetMetadataMaxBytes bounds the metadata of a committed offset, counted in UTF-16 units as Kafka does
	// (offset.metadata.max.bytes; G-249). Zero: 4096.
	OffsetMetadataMaxBytes int

	// OffsetsRetention is how long an offset is kept after its group became Empty, or after the commit where nobody
	// subscribes (offsets.retention.minutes; KIP-211). Zero: 7 days.
	OffsetsRetention time.Duration

	// OffsetsRetentionCheckInterval is how often is looked for offsets that are too old, and for Empty groups without
	// any (offsets.retention.check.interval.ms). Zero: 10 min.
	OffsetsRetentionCheckInterval time.Duration

	// Partitions is the number of partitions that groups are spread over (offsets.topic.num.partitions; G-232). It must
	// not change over the life of a store. Zero: 50.
	Partitions int32

	// MaxQueued bounds, for each group, the requests that wait for the store. One more is answered
	// COORDINATOR_NOT_AVAILABLE, which clients retry. Zero: 10,000.
	MaxQueued int

	// MaxBatchBytes bounds the records that one request makes, in the bytes of Kafka's record batch, among them a
	// generation with the metadata and assignments of all its members (message.max.bytes, which is also the limit of
	// __consumer_offsets; G-301). More are refused with UNKNOWN_SERVER_ERROR. Zero: 1,048,588.
	MaxBatchBytes int

	// Topics tells which topics there are. Nil: every topic exists, with any number of partitions.
	Topics Topics

	// Transactions tells which transactions there are. Nil: each that a producer speaks of.
	Transactions Transactions

	// Store keeps the records. Nil: a MemoryStore of this coordinator's own.
	Store Store

	// Events are told what happens to groups. Nil: nobody is.
	Events *Events

	// Logger is told what goes wrong, and at debug level every rebalance. Nil: nothing is logged.
	Logger *zap.Logger
}

// Validate returns every violation in the config, or nil. [New] calls it.
func (c Config) Validate() error {
	_, err := c.WithDefaults()
	return err
}

// WithDefaults returns the config as it holds, with Kafka's values in the place of zeros, or an error that names every
// violation.
func (c Config) WithDefaults() (Config, error) {
	setDefault(&c.MinSessionTimeout, 6*time.Second)
	setDefault(&c.MaxSessionTimeout, 30*time.Minute)
	setDefault(&c.InitialRebalanceDelay, 3*time.Second)
	setDefault(&c.MaxGroupSize, math.MaxInt32)
	setDefault(&c.MaxPendingMembers, 100_000)
	setDefault(&c.OffsetMetadataMaxBytes, 4096)
	setDefault(&c.OffsetsRetention, 7*24*time.Hour)
	setDefault(&c.OffsetsRetentionCheckInterval, 10*time.Minute)
	setDefault(&c.Partitions, defaultPartitions)
	setDefault(&c.MaxQueued, 10_000)
	setDefault(&c.MaxBatchBytes, 1_048_588)
	if c.Store == nil {
		c.Store = NewMemoryStore()
	}
	if c.Topics == nil {
		c.Topics = AnyTopic{}
	}
	if c.Transactions == nil {
		c.Transactions = AnyTransaction{}
	}
	if c.Events == nil {
		c.Events = &Events{}
	}
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	return c, errors.Join(
		positive("MinSessionTimeout", c.MinSessionTimeout),
		positive("MaxSessionTimeout", c.MaxSessionTimeout),
		atMost("MinSessionTimeout", c.MinSessionTimeout, "MaxSessionTimeout", c.MaxSessionTimeout),
		atMost("MaxSessionTimeout", c.MaxSessionTimeout, "what 32 bits of milliseconds hold", longest),
		atMost("InitialRebalanceDelay", c.InitialRebalanceDelay, "what 32 bits of milliseconds hold", longest),
		positive("MaxGroupSize", c.MaxGroupSize),
		positive("MaxPendingMembers", c.MaxPendingMembers),
		positive("OffsetMetadataMaxBytes", c.OffsetMetadataMaxBytes),
		positive("OffsetsRetention", c.OffsetsRetention),
		positive("OffsetsRetentionCheckInterval", c.OffsetsRetentionCheckInterval),
		positive("Partitions", c.Partitions),
		positive("MaxQueued", c.MaxQueued),
		positive("MaxBatchBytes", c.MaxBatchBytes),
	)
}

// defaultPartitions is Kafka's offsets.topic.num.partitions.
const defaultPartitions int32 = 50

const longest = math.MaxInt32 * time.Millisecond

// groupConfig is the part that the core needs.
func (c *Config) groupConfig() group.Config {
	return group.Config{
		InitialRebalanceDelay: group.Millis(max(c.InitialRebalanceDelay, 0).Milliseconds()),
		MaxSize:               c.MaxGroupSize,
		MaxPending:            c.MaxPendingMembers,
		OffsetMetadataMax:     c.OffsetMetadataMaxBytes,
		OffsetsRetention:      c.OffsetsRetention.Milliseconds(),
		SubscribedTopics:      subscribedTopics,
	}
}

// subscribedTopics reads consumers' metadata for the core. The strings are those of the metadata, which is kept anyway.
func subscribedTopics(metadata []byte) ([]string, bool) {
	topics, err := protocol.SubscribedTopics(metadata)
	return topics, err == nil
}

type number interface {
	~int | ~int32 | ~int64
}

func setDefault[T number](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func positive[T number](field string, value T) error {
	if value > 0 {
		return nil
	}
	return fmt.Errorf("coordinator: %s is %v: set it above zero, or leave it zero for the default", field, value)
}

func atMost[T number](field string, value T, bound string, limit T) error {
	if value <= limit {
		return nil
	}
	return fmt.Errorf("coordinator: %s is %v, above %s (%v): lower it", field, value, bound, limit)
}
