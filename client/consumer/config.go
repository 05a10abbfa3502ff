package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
)

// Config says what a consumer subscribes to and whom it tells. Only Member.Group and Topics are required; the zero value
// of everything else is the default of Kafka's own consumer.
type Config struct {
	// Member is the membership: group, timeouts, logger, events.
	Member client.Config

	// Topics are the names of the topics to share. One that does not exist is waited for.
	Topics []string
	// Assignors are what the consumer can share partitions by, in order of preference; all members of the group must
	// have one in common (partition.assignment.strategy). Nil means [assignor.Range].
	Assignors []assignor.Assignor
	// Rack is where the consumer runs, for assignors that keep partitions near (client.rack, KIP-881). Empty means
	// unknown.
	Rack string
	// MetadataMaxAge is how often the leader looks whether a topic of the group has new partitions (metadata.max.age.ms,
	// 5 min).
	MetadataMaxAge time.Duration

	// OnAssigned is told what the consumer owns, after each rebalance; an empty list is told too.
	OnAssigned func(ctx context.Context, partitions []TopicPartition)
	// OnRevoked is told what the consumer has to give up, while it still owns it: all of it, before each rebalance
	// (G-493), and before it leaves.
	OnRevoked func(ctx context.Context, partitions []TopicPartition)
	// OnLost is told what the consumer owned when it was thrown out of the group (G-492). Nil means OnRevoked (G-512).
	OnLost func(ctx context.Context, partitions []TopicPartition)
	// OnNotes is told, when this consumer leads, what had to be left out of an assignment: topics that do not exist,
	// members whose metadata cannot be read. The same goes to the logger.
	OnNotes func(notes []assignor.Note)
}

// Validate returns every way in which c is wrong, or nil. [New] calls it.
func (c Config) Validate() error {
	c = c.withDefaults()
	wrong := []error{c.Member.Validate()}
	reject := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if len(c.Topics) == 0 {
		reject("Topics is empty: name at least one topic to subscribe to")
	}
	for _, topic := range c.Topics {
		if !legalTopic(topic) {
			reject("Topics has %.300q: use 1 to 249 of the characters a-z A-Z 0-9 . _ -, and not . or .. alone", topic)
		}
	}
	seen := make(map[string]bool, len(c.Assignors))
	for _, a := range c.Assignors {
		switch {
		case a == nil:
			reject("Assignors has a nil: leave it out")
			continue
		case a.Name() == "":
			reject("Assignors has one without a name: give it the name that it has in the other members")
		case seen[a.Name()]:
			reject("Assignors has two of the name %q: list each assignor once", a.Name())
		}
		seen[a.Name()] = true
		if !a.Supports().Has(assignor.Eager) {
			reject("Assignors has %q, which supports %s only: this consumer is eager, use an assignor that supports it", a.Name(), a.Supports())
		}
	}
	if len(c.Rack) > maxRack {
		reject("Rack is %d bytes long: use at most %d", len(c.Rack), maxRack)
	}
	if c.MetadataMaxAge < time.Millisecond {
		reject("MetadataMaxAge is %v: use at least 1ms, or 0 for the default", c.MetadataMaxAge)
	}
	return errors.Join(wrong...)
}

// maxRack is what the int16 length of a rack in a subscription holds.
const maxRack = 1<<15 - 1

// withDefaults returns a copy of c with its zero fields filled.
func (c Config) withDefaults() Config {
	c.Topics = slices.Clone(c.Topics)
	slices.Sort(c.Topics)
	c.Topics = slices.Compact(c.Topics)
	c.Assignors = slices.Clone(c.Assignors)
	if c.Assignors == nil {
		c.Assignors = []assignor.Assignor{assignor.Range{}}
	}
	if c.MetadataMaxAge == 0 {
		c.MetadataMaxAge = 5 * time.Minute
	}
	return c
}

// legalTopic is Kafka's rule for topic names.
func legalTopic(name string) bool {
	const legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return len(name) >= 1 && len(name) <= 249 && name != "." && name != ".." && strings.Trim(name, legal) == ""
}
