package broker

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// A topicTable is what the coordinator knows of topics: a copy of kfake's list, in memory, that cannot be older than the
// last answer that a client had, since nothing changes a topic but requests that pass the door.
type topicTable struct {
	cluster    *kfake.Cluster
	turn       chan struct{} // whoever can send has the turn to change topics and bring the table up to date
	byDefault  int32         // partitions of a topic for which nobody says a number
	partitions int           // of all topics; who has the turn may read and change it
	limit      int           // of partitions

	mu     sync.RWMutex
	byName map[string]coordinator.Topic
	names  map[[16]byte]string
}

var _ coordinator.Topics = (*topicTable)(nil)

func newTopicTable(cluster *kfake.Cluster, config *Config) *topicTable {
	return &topicTable{
		cluster: cluster, turn: make(chan struct{}, 1), byDefault: config.DefaultPartitions, limit: config.MaxPartitions,
		byName: make(map[string]coordinator.Topic), names: make(map[[16]byte]string),
	}
}

// Topic implements coordinator.Topics.
func (t *topicTable) Topic(name string) (coordinator.Topic, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	topic, ok := t.byName[name]
	return topic, ok
}

// TopicByID implements coordinator.Topics.
func (t *topicTable) TopicByID(id [16]byte) (coordinator.Topic, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	topic, ok := t.byName[t.names[id]]
	return topic, ok
}

// All implements coordinator.Topics.
func (t *topicTable) All() iter.Seq[coordinator.Topic] {
	t.mu.RLock()
	defer t.mu.RUnlock()
	topics := slices.Collect(maps.Values(t.byName))
	slices.SortFunc(topics, func(a, b coordinator.Topic) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Values(topics)
}

// take waits for the turn to change topics. Whoever has it calls release.
func (t *topicTable) take(ctx context.Context) (release func(), err error) {
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// refresh asks kfake what became of topics, and returns those that are no more. The caller has the turn.
func (t *topicTable) refresh(names ...string) (gone []string) {
	for _, name := range names {
		name = strings.Clone(name) // it may be a part of a whole request
		info := t.cluster.TopicInfo(name)
		count := len(t.cluster.PartitionInfos(name))
		old, known := t.Topic(name)
		t.partitions += count - int(old.Partitions)

		t.mu.Lock()
		if known {
			delete(t.byName, name)
			delete(t.names, old.ID)
		}
		if info != nil {
			t.byName[name] = coordinator.Topic{Name: name, ID: info.TopicID, Partitions: int32(count)}
			t.names[info.TopicID] = name
		}
		t.mu.Unlock()
		if known && info == nil {
			gone = append(gone, name)
		}
	}
	return gone
}

// create makes a topic. Zero partitions are the default number. The caller has the turn.
func (t *topicTable) create(name string, partitions int32) error {
	if partitions <= 0 {
		partitions = t.byDefault
	}
	if code := t.refusal(name, int(partitions)); code != protocol.None {
		return fmt.Errorf("topic %q with %d partitions: %w", name, partitions, code)
	}
	err := t.cluster.CreateTopic(name, partitions, nil)
	t.refresh(name)
	if err != nil {
		return fmt.Errorf("topic %q: %w", name, err)
	}
	return nil
}

// refusal tells why a topic of that name must not have so many partitions more; None if it may. The caller has the turn.
func (t *topicTable) refusal(name string, more int) protocol.ErrorCode {
	switch {
	case !legalTopic(name):
		return protocol.InvalidTopic
	case more > t.room():
		return invalidPartitions
	}
	return protocol.None
}

// room is how many partitions may still be made. The caller has the turn.
func (t *topicTable) room() int { return t.limit - t.partitions }

// maxTopicName is how long a topic's name may be; Kafka makes a folder of it.
const maxTopicName = 249

// legalTopic tells whether Kafka would take the name for a topic.
func legalTopic(name string) bool {
	if name == "" || name == "." || name == ".." || len(name) > maxTopicName {
		return false
	}
	return !slices.ContainsFunc([]byte(name), func(c byte) bool {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return false
		}
		return true
	})
}
