package consumer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
)

// missingTopicInterval is how often the leader looks for topics of the group that do not exist. Java's client asks up
// to ten times a second.
const missingTopicInterval = 5 * time.Second

// watch is the leader's look-out for changes of the group's topics (G-485 to G-488). Only leaders watch, each from one
// assignment to the next. Its methods but wait are called by the member's goroutine.
type watch struct {
	topics []string // of all members
	seen   snapshot // as the last assignment saw them
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// snapshot is what an assignment depends on: for each topic that exists one entry for each partition, the racks that it
// is in, sorted. The racks stay empty for a consumer that has none itself (G-486).
type snapshot map[string][]string

func (c *Consumer) snapshot(cluster assignor.Cluster) snapshot {
	s := make(snapshot, len(cluster.Topics))
	for _, topic := range cluster.Topics {
		if topic.Partitions == 0 {
			continue
		}
		partitions := make([]string, topic.Partitions)
		for i := range partitions {
			if c.cfg.Rack != "" {
				partitions[i] = racksOf(topic.Replicas[i], cluster.Racks)
			}
		}
		s[topic.Name] = partitions
	}
	return s
}

func racksOf(brokers []int32, racks map[int32]string) string {
	set := make(map[string]bool, len(brokers))
	for _, broker := range brokers {
		set[racks[broker]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n")
}

func (s snapshot) equal(other snapshot) bool {
	return maps.EqualFunc(s, other, func(a, b []string) bool { return slices.Equal(a, b) })
}

// see notes what the leader has just assigned.
func (w *watch) see(topics []string, s snapshot) { w.topics, w.seen = topics, s }

// start begins to look out for c, which leads.
func (w *watch) start(c *Consumer) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	topics, seen := w.topics, w.seen
	w.ended.Go(func() { c.lookOut(ctx, topics, seen) })
}

// stop ends the look-out, if there is one.
func (w *watch) stop() {
	if w.cancel != nil {
		w.cancel()
		w.cancel = nil
	}
}

// wait returns once nobody looks out any more.
func (w *watch) wait() { w.ended.Wait() }

// lookOut makes the group rebalance when its topics have changed.
func (c *Consumer) lookOut(ctx context.Context, topics []string, seen snapshot) {
	interval := c.cfg.MetadataMaxAge
	if len(seen) < len(topics) {
		interval = min(interval, missingTopicInterval)
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		cluster, err := c.fetchCluster(ctx, topics)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.log.Warn("the leader cannot look for new partitions", zap.Error(err))
		case !c.snapshot(cluster).equal(seen):
			c.member.Rejoin("cached metadata has changed")
			return
		}
	}
}
