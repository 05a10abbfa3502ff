package assignor

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrNoOffsets says that whoever made the problem cannot tell offsets.
var ErrNoOffsets = errors.New("offsets are not known here")

// Offsets are those of one partition.
type Offsets struct {
	Committed  int64 // the next one that the group will read; -1 if it has committed none
	Start, End int64 // of the log: the first that there is, and one more than the last; -1 if that is not known
}

// Lag is how many offsets the group has before it: from what it has committed, or from the start if it has committed
// nothing or what is not there any more, to the end. It is 0 where the end is not known.
func (o Offsets) Lag() int64 {
	return max(0, o.End-max(o.Committed, o.Start, 0))
}

// OffsetsFunc tells the group's offsets of all partitions of some topics: by topic, in their order, and by partition.
type OffsetsFunc func(ctx context.Context, topics []Topic) ([][]Offsets, error)

// Offsets tells the offsets of every partition, by topic and partition. They are fetched when they are first asked for, and
// from then on the same for all who ask; an error is not kept. It is ErrNoOffsets, wrapped, where [Cluster].Offsets is nil.
func (p *Problem) Offsets(ctx context.Context) ([][]Offsets, error) {
	p.offsets.mu.Lock()
	defer p.offsets.mu.Unlock()
	if p.offsets.known != nil {
		return p.offsets.known, nil
	}
	if p.offsets.fetch == nil {
		return nil, fmt.Errorf("%w: give Cluster.Offsets, or use an assignor that does without (FallBack)", ErrNoOffsets)
	}
	offsets, err := p.offsets.fetch(ctx, p.Topics)
	if err != nil {
		return nil, fmt.Errorf("fetch the offsets of %d topics: %w", len(p.Topics), err)
	}
	if len(offsets) != len(p.Topics) {
		return nil, fmt.Errorf("Cluster.Offsets tells those of %d topics, asked for %d: tell those of each, in their order", len(offsets), len(p.Topics))
	}
	for t, topic := range p.Topics {
		if len(offsets[t]) != topic.Partitions {
			return nil, fmt.Errorf("Cluster.Offsets tells those of %d partitions of topic %q, which has %d: tell those of each",
				len(offsets[t]), topic.Name, topic.Partitions)
		}
	}
	p.offsets.known = offsets
	return offsets, nil
}

// offsets are fetched once, at most.
type offsets struct {
	fetch OffsetsFunc
	mu    sync.Mutex
	known [][]Offsets
}
