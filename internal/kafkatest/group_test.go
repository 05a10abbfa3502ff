package kafkatest

import (
	"strings"
	"testing"
)

func TestCheckAssignment(t *testing.T) {
	member := func(id string, partitions ...int32) GroupMember {
		return GroupMember{MemberID: id, Assigned: map[string][]int32{"t": partitions}}
	}
	for _, test := range []struct {
		name    string
		members []GroupMember
		want    string // part of the error, "" for none
	}{
		{"each has one owner", []GroupMember{member("a", 0, 2), member("b", 1), member("c")}, ""},
		{"one has none", []GroupMember{member("a", 0), member("b", 2)}, "t-1 has 0 owners"},
		{"one has two", []GroupMember{member("a", 0, 1), member("b", 1, 2)}, "t-1 has 2 owners [a b]"},
		{"one is unknown", []GroupMember{member("a", 0, 1), member("b", 2, 3)}, "t-3 does not exist"},
		{"nobody is there", nil, "t-0 has 0 owners"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Group{Members: test.members}.CheckAssignment("t", 3)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
