package assignortest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/internal/vector"
)

// A check is one that can fail, with what to do then.
type check struct{ name, cure string }

var (
	declares   = check{"declares", "give it a name, and let Supports return Eager, Cooperative or both"}
	readable   = check{"readable", "mend the input: each member and topic once, no negative numbers, racks for every partition or none"}
	complete   = check{"complete", ""} // the plan's own errors name the cure
	disjoint   = check{"disjoint", ""}
	subscribed = check{"subscribed", ""}
	known      = check{"known", "assign by the indices of Problem.Members and Problem.Topics, and partitions below Topic.Partitions: " +
		"what members claim or send as user data may be anything"}
	noPanic = check{"no panic", "expect no members, no topics, members without topics, and anything at all as user data"}
	noError = check{"no error", "drop what a member sent wrongly and tell of it by Plan.Note: an error ends the leader's join"}
	ends    = check{"ends", "bound every loop, and return soon after ctx is done"}
	same    = check{"deterministic", "sort what is in a map before going over it, keep nothing between calls without a lock, and " +
		"draw no random numbers"}
	order     = check{"order", "go by the order of Problem.Topics and Problem.Members, not by that of the notes or of user data"}
	untouched = check{"read-only", "copy what is to be changed: the problem's slices and maps are shared"}
	handover  = check{"handover", "call Plan.WithholdMoving last in Assign"}
	twoRounds = check{"two rounds", "leave to the members what they claim when that is as good as anything else, so that what one round " +
		"hands over the next one does not hand over again; and let OnAssignment ask to join again when it has a reason only"}

	balanced        = check{"balanced", "give the next partition to the member with the fewest so far"}
	balancedByTopic = check{"balanced by topic", "divide the partitions of each topic among its subscribers, the remainder one by one"}
	stickiness      = check{"sticky", "let members keep what they own up to their share, go by the latest generation of a claim, and see " +
		"that they tell what they own: the cooperative protocol, or UserData"}
)

// A fault is a check that has failed, and on what.
type fault struct {
	check check
	text  string

	in      *vector.Input   // nil if one is not enough to see it
	history *history        // then: what happened to a group
	past    []*vector.Input // and what its leaders had to solve, in the end
}

// report tells of a fault, unless the same check was told of before.
func (c *checker) report(f fault) {
	c.t.Helper()
	if c.reported[f.check] {
		return
	}
	f = c.shrink(f)
	c.reported[f.check] = true
	var text strings.Builder
	fmt.Fprintf(&text, "assignor %q fails the check %q: %s", c.name, f.check.name, f.text)
	if f.check.cure != "" {
		fmt.Fprintf(&text, "\n\tcure: %s", f.check.cure)
	}
	if f.in != nil {
		fmt.Fprintf(&text, "\n\tinput: %v", f.in)
	}
	for _, in := range f.past {
		fmt.Fprintf(&text, "\n\tround: %v", in)
	}
	c.t.Errorf("%s", text.String())
}

// unreported are the faults of checks that were not told of before.
func (c *checker) unreported(faults []fault) []fault {
	return slices.DeleteFunc(faults, func(f fault) bool { return c.reported[f.check] })
}

func (c *checker) reportAll(faults []fault) {
	c.t.Helper()
	for _, f := range faults {
		c.report(f)
	}
}
