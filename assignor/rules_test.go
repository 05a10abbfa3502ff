package assignor_test

import (
	"reflect"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// TestExamplesOfTheRules holds each assignor to examples that can be checked by eye.
func TestExamplesOfTheRules(t *testing.T) {
	two := []inputMember{{ID: "a", Subs: []string{"t0", "t1"}}, {ID: "b", Subs: []string{"t0", "t1"}}}
	tests := []struct {
		name     string
		assignor assignor.Assignor
		members  []inputMember
		cluster  assignor.Cluster
		want     assignment
	}{
		{
			"range gives the first members one more, topic by topic (G-538)", assignor.Range{},
			two, topics("t0", 3, "t1", 3),
			assignment{"a": {"t0": {0, 1}, "t1": {0, 1}}, "b": {"t0": {2}, "t1": {2}}},
		},
		{
			"round robin goes on from topic to topic (G-549)", assignor.RoundRobin{},
			two, topics("t0", 3, "t1", 3),
			assignment{"a": {"t0": {0, 2}, "t1": {1}}, "b": {"t0": {1}, "t1": {0, 2}}},
		},
		{
			"round robin passes over those that do not subscribe (G-550)", assignor.RoundRobin{},
			[]inputMember{
				{ID: "a", Subs: []string{"t0"}},
				{ID: "b", Subs: []string{"t0", "t1"}},
				{ID: "c", Subs: []string{"t0", "t1", "t2"}},
			},
			topics("t0", 1, "t1", 2, "t2", 3),
			assignment{"a": {"t0": {0}}, "b": {"t1": {0}}, "c": {"t1": {1}, "t2": {0, 1, 2}}},
		},
		{
			"static members come first, by instance id (G-533)", assignor.Range{},
			[]inputMember{
				{ID: "a", Subs: []string{"t"}},
				{ID: "b", Subs: []string{"t"}, Instance: "y"},
				{ID: "c", Subs: []string{"t"}, Instance: "x"},
			},
			topics("t", 4),
			assignment{"c": {"t": {0, 1}}, "b": {"t": {2}}, "a": {"t": {3}}},
		},
		{
			"more members than partitions leave some with nothing (G-535)", assignor.Range{},
			two, topics("t0", 1),
			assignment{"a": {"t0": {0}}, "b": {}},
		},
		{
			"topics that do not exist are left out (G-534)", assignor.RoundRobin{},
			two, topics("t0", 0, "t1", 1, "nobody-wants-this", 5),
			assignment{"a": {"t1": {0}}, "b": {}},
		},
		{
			"members without any topic", assignor.Range{},
			[]inputMember{{ID: "a"}, {ID: "b"}}, topics("t0", 3),
			assignment{"a": {}, "b": {}},
		},
		{"a group without members", assignor.RoundRobin{}, nil, topics("t0", 3), assignment{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := assignment(solve(t, test.assignor, input{Members: test.members}.join(), test.cluster))
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestRangeKeepsJoinedTopicsAligned: with racks, two topics with the same subscribers are divided alike, so that a join of
// the two finds both halves in one member (G-543).
func TestRangeKeepsJoinedTopicsAligned(t *testing.T) {
	cluster := assignor.Cluster{
		Topics: []assignor.Topic{
			{Name: "t0", Partitions: 3, Replicas: [][]int32{{1}, {2}, {1}}},
			{Name: "t1", Partitions: 3, Replicas: [][]int32{{1, 2}, {2, 1}, {2}}},
		},
		Racks: map[int32]string{1: "east", 2: "west"},
	}
	members := []inputMember{
		{ID: "a", Rack: "west", Subs: []string{"t0", "t1"}},
		{ID: "b", Rack: "east", Subs: []string{"t0", "t1"}},
	}
	got := assignment(solve(t, assignor.Range{}, input{Members: members}.join(), cluster))
	want := assignment{"a": {"t0": {1, 2}, "t1": {1, 2}}, "b": {"t0": {0}, "t1": {0}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
