package consumer

import (
	"cmp"
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
	// have one in common (partition.assignment.strategy). If all of them support it the consumer is cooperative, else eager:
	// see the package comment. Nil means [assignor.Range].
	Assignors []assignor.Assignor
	// Rack is where the consumer runs, for assignors that keep partitions near (client.rack, KIP-881). Empty means
	// unknown.
	Rack string
	// MetadataMaxAge is how often the leader looks whether a topic of the group has new partitions (metadata.max.age.ms,
	// 5 min).
	MetadataMaxAge time.Duration
	// Offsets tells offsets to an assignor that goes by them ([assignor.LagAware]), when this consumer leads. Nil means to ask the
	// cluster, which a coordinator in this process cannot answer: it keeps no log. It may be called concurrently.
	Offsets assignor.OffsetsFunc

	// OnAssigned is told what the consumer owns, after each rebalance, if it is eager; and what it owns beyond what it has kept, if
	// it is cooperative. An empty list is told too.
	OnAssigned func(ctx context.Context, partitions []TopicPartition)
	// OnRevoked is told what the consumer has to give up, while it still owns it: all of it before it leaves, and, if it is
	// eager, before each rebalance (G-493); if it is cooperative, after a rebalance what that has taken from it (G-508).
	OnRevoked func(ctx context.Context, partitions []TopicPartition)
	// OnLost is told what the consumer owned when it was thrown out of the group (G-492), or when it leaves in the middle of a
	// rebalance (G-483). Nil means OnRevoked (G-512).
	OnLost func(ctx context.Context, partitions []TopicPartition)
	// OnNotes is told, when this consumer leads, what had to be left out of an assignment: topics that do not exist,
	// members whose metadata cannot be read; and what else the assignor has to say. The same goes to the logger.
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
	}
	if !slices.Contains(c.Assignors, nil) && c.protocols() == 0 {
		reject("Assignors have no rebalance protocol in common: %s: leave out those of one kind (KIP-429)", supports(c.Assignors))
	}
	if len(c.Rack) > maxRack {
		reject("Rack is %d bytes long: use at most %d", len(c.Rack), maxRack)
	}
	if c.MetadataMaxAge < time.Millisecond {
		reject("MetadataMaxAge is %v: use at least 1ms, or 0 for the default", c.MetadataMaxAge)
	}
	return errors.Join(wrong...)
}

// protocols are the rebalance protocols that all assignors support. The highest of them is used (G-497).
func (c Config) protocols() assignor.RebalanceProtocol {
	all := assignor.Eager | assignor.Cooperative
	for _, a := range c.Assignors {
		all &= a.Supports()
	}
	return all
}

// supports lists what each assignor supports.
func supports(assignors []assignor.Assignor) string {
	var list []string
	for _, a := range assignors {
		list = append(list, fmt.Sprintf("%q is %s", a.Name(), cmp.Or(a.Supports().String(), "neither")))
	}
	return strings.Join(list, ", ")
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
