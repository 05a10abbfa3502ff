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

// watch is the leader's look-out for changes of the group's topics (G-485 to G-488), and for partitions that stay without
// an owner. Only leaders watch, each from one assignment to the next. Its methods but wait are called by the member's goroutine.
type watch struct {
	last   view
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// view is what the leader looks out with.
type view struct {
	topics   []string // of all members
	seen     snapshot // as the assignment saw them
	withheld bool     // something is kept back until its owner gives it up
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

// see notes what the leader is about to assign.
func (w *watch) see(topics []string, s snapshot) { w.last = view{topics: topics, seen: s} }

// planned notes whether the assignment keeps something back.
func (w *watch) planned(p *assignor.Problem, plan *assignor.Plan) {
	for t := range p.Topics {
		for q := range p.Topics[t].Partitions {
			w.last.withheld = w.last.withheld || plan.Withheld(t, q)
		}
	}
}

// start begins to look out for c, which leads.
func (w *watch) start(c *Consumer) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	last := w.last
	w.ended.Go(func() { c.lookOut(ctx, last) })
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

// lookOut makes the group rebalance when its topics have changed. It also does when what was kept back still is after the
// session timeout. Its owner joins again as soon as it has given it up, and who dies before is taken out; but a static
// member that is replaced meanwhile (KIP-345) does not come, and its successor does not know of it.
func (c *Consumer) lookOut(ctx context.Context, last view) {
	interval := c.cfg.MetadataMaxAge
	if len(last.seen) < len(last.topics) {
		interval = min(interval, missingTopicInterval)
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var overdue <-chan time.Time
	if last.withheld {
		overdue = time.After(c.cfg.Member.SessionTimeout)
	}
	for {
		select {
		case <-ticker.C:
		case <-overdue:
			c.member.Rejoin("partitions that move have no owner yet")
			return
		case <-ctx.Done():
			return
		}
		cluster, err := c.fetchCluster(ctx, last.topics)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.log.Warn("the leader cannot look for new partitions", zap.Error(err))
		case !c.snapshot(cluster).equal(last.seen):
			c.member.Rejoin("cached metadata has changed")
			return
		}
	}
}
