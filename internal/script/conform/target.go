package conform

import (
	"context"
	"fmt"
	"sync"

	"github.com/joinsync/joinsync/internal/script"
)

// A target is the broker for one script. Topics are made once for all scripts.
type target struct {
	*script.Socket
	broker *Broker
}

// A topic is one that scripts share.
type topic struct {
	once sync.Once
	id   [16]byte
	err  error
}

// CreateTopics implements [script.Target]. A script whose topics cannot be made is not for the broker.
func (t *target) CreateTopics(ctx context.Context, partitions map[string]int32) (map[string][16]byte, error) {
	ids := make(map[string][16]byte)
	for name, n := range partitions {
		shared := t.broker.topic(name)
		shared.once.Do(func() {
			var made map[string][16]byte
			made, shared.err = t.Socket.CreateTopics(ctx, map[string]int32{name: n})
			shared.id = made[name]
		})
		if shared.err != nil {
			return nil, &script.Unfit{Reason: fmt.Sprintf("its topics cannot be made: %v", shared.err)}
		}
		ids[name] = shared.id
	}
	return ids, nil
}

// DeleteTopics implements [script.Target].
func (t *target) DeleteTopics(ctx context.Context, names []string) error {
	err := t.Socket.DeleteTopics(ctx, names)
	t.broker.mu.Lock()
	defer t.broker.mu.Unlock()
	for _, name := range names {
		delete(t.broker.topics, name)
	}
	return err
}

// topic returns a topic that may have to be made.
func (b *Broker) topic(name string) *topic {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.topics[name] == nil {
		b.topics[name] = new(topic)
	}
	return b.topics[name]
}

// topicNames lists the topics that this run has made, or tried to.
func (b *Broker) topicNames() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for name := range b.topics {
		names = append(names, b.prefix+name)
	}
	return names
}
