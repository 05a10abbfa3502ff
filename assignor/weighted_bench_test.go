package assignor_test

import (
	"hash/fnv"
	"math"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// telling has no user data, for which stickyRounds asks.
type telling struct{ assignor.Assignor }

func (telling) UserData(assignor.Assignment) []byte { return nil }

// uneven are weights as of topics that differ and partitions that differ less: no two alike, some hundred times others.
func uneven(topic string, partition int) int64 {
	hash := fnv.New32a()
	hash.Write([]byte(topic))
	random := float64(hash.Sum32()) / math.MaxUint32
	return int64(1000*math.Exp(4*random)) + int64(partition*7919%1009)
}

// BenchmarkWeightedLeader is BenchmarkStickyLeader with weights.
func BenchmarkWeightedLeader(b *testing.B) {
	a := telling{assignor.Weighted("weighted", uneven)}
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) { benchRounds(b, a, w) })
	}
}
