package preview

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/offsets"
	"github.com/joinsync/joinsync/internal/vector"
)

// FetchLag asks the cluster how far the group lags, for assignors that go by it. It takes a requestor that finds coordinators and leaders
// by itself, as *kgo.Client does.
func (l *Live) FetchLag(ctx context.Context, cluster kmsg.Requestor, group string) error {
	var topics []assignor.Topic
	for _, t := range l.In.Topics {
		if t.Parts > 0 {
			topics = append(topics, assignor.Topic{Name: t.Name, Partitions: t.Parts})
		}
	}
	all, err := offsets.Tell(ctx, offsets.Through(cluster), group, topics)
	if err != nil {
		return fmt.Errorf("group %q: how far it lags: %w", group, err)
	}
	unknown, example := 0, ""
	next := 0
	for i := range l.In.Topics {
		t := &l.In.Topics[i]
		if t.Parts == 0 {
			continue
		}
		t.Lag = make([]int64, t.Parts)
		for q, o := range all[next] {
			t.Lag[q] = o.Lag()
			if o.End < 0 {
				unknown++
				example = fmt.Sprintf("%s-%d", t.Name, q)
			}
		}
		next++
	}
	if unknown > 0 {
		l.note("no leader tells where the log ends (partitions: %d, such as %s): they are taken not to lag", unknown, example)
	}
	return nil
}

// lags are the lags of an input, by topic; nil where it has none.
func lags(in *vector.Input) map[string][]int64 {
	var by map[string][]int64
	for _, t := range in.Topics {
		if t.Lag == nil {
			continue
		}
		if by == nil {
			by = make(map[string][]int64)
		}
		by[t.Name] = t.Lag
	}
	return by
}
