package assignortest

import (
	"context"
	"hash/crc32"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// clusterOf is the cluster of an input. It knows all offsets: made-up ones where the input has no lags.
func clusterOf(in *vector.Input) assignor.Cluster {
	c := in.Cluster()
	if !slices.ContainsFunc(in.Topics, func(t vector.Topic) bool { return t.Lag != nil }) {
		c.Offsets = madeUp
	}
	return c
}

// madeUp makes offsets up, for the same partition the same each time: lags from 0 to 6, nothing committed, no leader.
func madeUp(_ context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
	all := make([][]assignor.Offsets, len(topics))
	for t, topic := range topics {
		first := int64(crc32.ChecksumIEEE([]byte(topic.Name)))
		for q := range topic.Partitions {
			n := first + 3*int64(q)
			o := assignor.Offsets{Committed: 4, Start: n % 3, End: 4 + n%7}
			switch n % 5 {
			case 0:
				o.Committed = -1
			case 1:
				o.Start, o.End = -1, -1
			}
			all[t] = append(all[t], o)
		}
	}
	return all, nil
}
