package assignor_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

func TestSimpleShowsExistingTopicsByName(t *testing.T) {
	join := input{Members: []inputMember{
		{ID: "a", Subs: []string{"t1", "t0", "nope"}},
		{ID: "b", Subs: []string{"nope"}},
	}}.join()
	called := assignor.Simple("mine", func(partitions map[string]int, members map[string][]string) (map[string][]assignor.TopicPartition, error) {
		if want := map[string]int{"t0": 1, "t1": 2}; !reflect.DeepEqual(partitions, want) {
			t.Errorf("partitions: got %v, want %v", partitions, want)
		}
		if want := map[string][]string{"a": {"t0", "t1"}, "b": {}}; !reflect.DeepEqual(members, want) {
			t.Errorf("members: got %v, want %v", members, want)
		}
		return map[string][]assignor.TopicPartition{"a": {{"t1", 1}, {"t0", 0}, {"t1", 0}}}, nil
	})
	if called.Name() != "mine" || called.Supports() != assignor.Eager {
		t.Errorf("it is %q, %v", called.Name(), called.Supports())
	}
	got := solve(t, called, join, topics("t0", 1, "t1", 2, "else", 9))
	if want := (map[string]map[string][]int{"a": {"t0": {0}, "t1": {0, 1}}, "b": {}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSimpleNamesWhatIsWrong(t *testing.T) {
	own := errors.New("own")
	tests := []struct {
		name   string
		answer map[string][]assignor.TopicPartition
		err    error
		is     error
		says   string
	}{
		{"its own error", nil, own, own, `"mine"`},
		{"a member that is not there", map[string][]assignor.TopicPartition{"c": nil}, nil, assignor.ErrUnknown, `"c"`},
		{"a topic that is not there", map[string][]assignor.TopicPartition{"a": {{"nope", 0}}}, nil, assignor.ErrUnknown, `"nope"`},
		{"a partition that is not there", map[string][]assignor.TopicPartition{"a": {{"both", 4}}}, nil, assignor.ErrUnknown, `"both"`},
		{"a foreign topic", map[string][]assignor.TopicPartition{"a": {{"only-b", 0}}}, nil, assignor.ErrForeign, `"only-b"`},
		{"a doubled partition", map[string][]assignor.TopicPartition{"a": {{"both", 0}}, "b": {{"both", 0}}}, nil, assignor.ErrDoubled, `"both"`},
		{"no answer", nil, nil, assignor.ErrPartial, `"both"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := assignor.Simple("mine", func(map[string]int, map[string][]string) (map[string][]assignor.TopicPartition, error) {
				return test.answer, test.err
			})
			_, err := assignor.Run(t.Context(), a, twoMembers(t))
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want an error that is %q and says %s", err, test.is, test.says)
			}
		})
	}
}
