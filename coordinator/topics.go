package coordinator

import (
	"iter"
	"maps"
	"math"
	"slices"
)

// Topics tells the coordinator of the topics that there are: those of the data plane that it serves, or of whatever an
// embedder lets its members share. It is called concurrently and must answer from memory.
type Topics interface {
	// Topic returns the topic of that name.
	Topic(name string) (Topic, bool)

	// TopicByID returns the topic of that id, for requests that name topics so (OffsetCommit and OffsetFetch v10).
	TopicByID(id [16]byte) (Topic, bool)

	// All returns every topic, by name.
	All() iter.Seq[Topic]
}

// Topic is what the coordinator knows of one topic.
type Topic struct {
	Name       string
	ID         [16]byte // zero: none
	Partitions int32
}

// AnyTopic is the Topics of a coordinator that does not care: each name is a topic with any number of partitions, and
// none can be listed or has an id.
type AnyTopic struct{}

// Topic returns a topic with the largest number of partitions.
func (AnyTopic) Topic(name string) (Topic, bool) {
	return Topic{Name: name, Partitions: math.MaxInt32}, true
}

// TopicByID returns nothing.
func (AnyTopic) TopicByID([16]byte) (Topic, bool) { return Topic{}, false }

// All returns nothing.
func (AnyTopic) All() iter.Seq[Topic] { return func(func(Topic) bool) {} }

// FixedTopics is a set of topics that does not change: name to number of partitions.
type FixedTopics map[string]int32

// Topic returns the topic of that name.
func (f FixedTopics) Topic(name string) (Topic, bool) {
	partitions, ok := f[name]
	return Topic{Name: name, Partitions: partitions}, ok
}

// TopicByID returns nothing: these topics have no ids.
func (FixedTopics) TopicByID([16]byte) (Topic, bool) { return Topic{}, false }

// All returns the topics by name.
func (f FixedTopics) All() iter.Seq[Topic] {
	return func(yield func(Topic) bool) {
		for _, name := range slices.Sorted(maps.Keys(f)) {
			if !yield(Topic{Name: name, Partitions: f[name]}) {
				return
			}
		}
	}
}
