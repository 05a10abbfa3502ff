package script

import (
	"context"
	"encoding/binary"
	"iter"
	"maps"

	"github.com/joinsync/joinsync/coordinator"
)

// coreTopics is what a script says of topics. The coordinator asks it only while a request is under way, and then the
// script does not change it.
type coreTopics struct {
	byName map[string]coordinator.Topic
	made   uint64 // counts the topics, for their ids
}

// CreateTopics implements [Target].
func (c *core) CreateTopics(_ context.Context, partitions map[string]int32) (map[string][16]byte, error) {
	ids := map[string][16]byte{}
	for name, n := range partitions {
		topic, ok := c.topics.byName[name]
		if !ok {
			topic = c.topics.create(name, n)
		}
		ids[name] = topic.ID
	}
	return ids, nil
}

// DeleteTopics implements [Target].
func (c *core) DeleteTopics(ctx context.Context, names []string) error {
	for _, name := range names {
		delete(c.topics.byName, name)
		if err := c.coordinator.TopicDeleted(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// create makes a topic with an id that no other had.
func (t *coreTopics) create(name string, partitions int32) coordinator.Topic {
	if t.byName == nil {
		t.byName = make(map[string]coordinator.Topic)
	}
	t.made++
	topic := coordinator.Topic{Name: name, Partitions: partitions}
	binary.BigEndian.PutUint64(topic.ID[:], t.made)
	t.byName[name] = topic
	return topic
}

// Topic implements coordinator.Topics.
func (t *coreTopics) Topic(name string) (coordinator.Topic, bool) {
	topic, ok := t.byName[name]
	return topic, ok
}

// TopicByID implements coordinator.Topics.
func (t *coreTopics) TopicByID(id [16]byte) (coordinator.Topic, bool) {
	for _, topic := range t.byName {
		if topic.ID == id {
			return topic, true
		}
	}
	return coordinator.Topic{}, false
}

// All implements coordinator.Topics.
func (t *coreTopics) All() iter.Seq[coordinator.Topic] { return maps.Values(t.byName) }
