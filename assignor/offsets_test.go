package assignor_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

func TestLag(t *testing.T) {
	for _, test := range []struct {
		of   assignor.Offsets
		want int64
	}{
		{assignor.Offsets{Committed: 3, Start: 0, End: 10}, 7},
		{assignor.Offsets{Committed: -1, Start: 4, End: 10}, 6},
		{assignor.Offsets{Committed: 3, Start: 4, End: 10}, 6},
		{assignor.Offsets{Committed: 12, Start: 4, End: 10}, 0},
		{assignor.Offsets{Committed: 3, Start: -1, End: -1}, 0},
		{assignor.Offsets{Committed: -1, Start: -1, End: -1}, 0},
	} {
		if got := test.of.Lag(); got != test.want {
			t.Errorf("lag of %+v is %d, want %d", test.of, got, test.want)
		}
	}
}

func TestOffsetsAreFetchedOnceAndOnlyIfAskedFor(t *testing.T) {
	asked, broken := 0, errors.New("broken")
	cluster := topics("a", 2, "b", 1)
	cluster.Offsets = func(_ context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
		if asked++; asked == 1 {
			return nil, broken
		}
		all := make([][]assignor.Offsets, len(topics))
		for i, topic := range topics {
			for q := range topic.Partitions {
				all[i] = append(all[i], assignor.Offsets{Committed: int64(10*len(topics[i].Name) + q), End: 100})
			}
		}
		return all, nil
	}
	p := problemOf(t, input{Members: []inputMember{{ID: "m", Subs: []string{"a", "b"}}}}.join(), cluster)
	if _, err := assignor.Run(t.Context(), assignor.Range{}, p); err != nil || asked != 0 {
		t.Errorf("range has asked %d times, %v", asked, err)
	}
	if _, err := p.Offsets(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), "2 topics") {
		t.Errorf("got %v", err)
	}
	part := p.Filter(func(_, topic int) bool { return topic == 1 })
	all, err := p.Offsets(t.Context())
	some, err2 := part.Offsets(t.Context())
	if err != nil || err2 != nil || len(all) != 2 || !reflect.DeepEqual(some, all[1:]) || asked != 2 {
		t.Errorf("got %v, %v, and of the part %v, %v, asked %d times", all, err, some, err2, asked)
	}
}

func TestOffsetsSayWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct {
		fetch assignor.OffsetsFunc
		says  string
	}{
		"nobody to ask":  {nil, "Cluster.Offsets"},
		"too few topics": {func(context.Context, []assignor.Topic) ([][]assignor.Offsets, error) { return nil, nil }, "0 topics, asked for 1"},
		"too few partitions": {func(context.Context, []assignor.Topic) ([][]assignor.Offsets, error) {
			return [][]assignor.Offsets{{{}}}, nil
		}, `1 partitions of topic "a", which has 2`},
	} {
		cluster := topics("a", 2)
		cluster.Offsets = test.fetch
		p := problemOf(t, input{Members: []inputMember{{ID: "m", Subs: []string{"a"}}}}.join(), cluster)
		_, err := p.Offsets(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.says) || errors.Is(err, assignor.ErrNoOffsets) != (test.fetch == nil) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
