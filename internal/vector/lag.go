package vector

import (
	"context"
	"fmt"

	"github.com/joinsync/joinsync/assignor"
)

// offsets tells such as have the lags of the input.
func (in *Input) offsets(_ context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
	lags := make(map[string][]int64, len(in.Topics))
	for _, t := range in.Topics {
		lags[t.Name] = t.Lag
	}
	all := make([][]assignor.Offsets, len(topics))
	for i, t := range topics {
		if lags[t.Name] == nil {
			return nil, fmt.Errorf("%w: topic %q has no lag in the input: give a list of that of each partition", assignor.ErrNoOffsets, t.Name)
		}
		for _, lag := range lags[t.Name] {
			all[i] = append(all[i], assignor.Offsets{End: lag})
		}
	}
	return all, nil
}
