package coordinator

import (
	"maps"
	"slices"
	"time"

	"github.com/joinsync/joinsync/group"
)

// sweep looks through all groups for offsets that are too old, again and again until the coordinator is closed (G-194).
func (c *Coordinator) sweep() {
	ticker := time.NewTicker(c.config.OffsetsRetentionCheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-c.closing:
			return
		case <-ticker.C:
		}
		for _, p := range c.partitions {
			p.do(taskFunc(p.expire))
		}
	}
}

// expire sweeps one partition. A group that waits for the store is left for the next time.
func (p *partition) expire() {
	if p.phase != active {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(p.groups)) {
		if r := p.groups[id]; !r.inFlight {
			p.step(r, &group.Event{Kind: group.Expire})
			p.settle(r)
		}
	}
}
