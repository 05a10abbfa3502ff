package assignortest_test

import (
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// TestWeightedIsSound with weights that are equal, and with others, of which some are 0.
func TestWeightedIsSound(t *testing.T) {
	equal := assignor.Weighted("equal", func(string, int) int64 { return 7 })
	assignortest.Check(t, equal, assignortest.Balanced(1), assignortest.Sticky(0))
	const any = 1 << 30 // may move, but none where nothing changes
	for _, heaviest := range []int64{1, 9} {
		uneven := assignor.Weighted("uneven", func(topic string, partition int) int64 {
			return int64(partition*len(topic)+int(topic[1])) % (heaviest + 1)
		})
		assignortest.Check(t, uneven, assignortest.Sticky(any))
	}
}

func TestLagAwareIsSound(t *testing.T) {
	assignortest.Check(t, assignor.LagAware{})
	assignortest.Check(t, assignor.LagAware{Latest: true, Base: 2})
	assignortest.Check(t, assignor.LagAware{Base: 1 << 40}, assignortest.Balanced(1)) // beside which no lag counts
}
