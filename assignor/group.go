package assignor

import (
	"errors"
	"fmt"
	"slices"
)

// Join is what JoinGroup's answer tells the leader of a generation.
type Join struct {
	Generation int32  // the generation that the plan is for; 0 if there is no group behind the members
	Previous   int32  // the generation in which this member was last assigned; 0 or less if none
	Leader     string // the leader's member id
	Self       string // this member's id: the leader's, or "" where somebody else looks at a group
	Members    []JoinedMember
}

// JoinedMember is one member as JoinGroup's answer lists it.
type JoinedMember struct {
	ID         string
	InstanceID string // "" for a dynamic member (KIP-345)
	Metadata   []byte // a ConsumerProtocolSubscription of any version, as the member sent it
}

// Group is the members of one generation with their subscriptions decoded, not yet matched with the topics that exist.
// It does not change, so it may be used concurrently.
type Group struct {
	join    Join
	members []groupMember // in the order of compareMembers
	classes []groupClass
	topics  []string       // what any member subscribes to, in Java's string order
	rank    map[string]int // topics, inverted
	notes   notes
}

type groupMember struct {
	Member        // Class is the index in Group.classes
	owned  []byte // the claims, still bytes
	claims int    // their number
}

// groupClass is a subscription that one or more members sent, byte for byte.
type groupClass struct {
	section []byte
	sender  string // id of the first member that sent it
	topics  []int  // indices of Group.topics, ascending
}

// Decode reads the subscriptions of a generation's members. Equal subscriptions, the usual case, are decoded once.
//
// Metadata that cannot be read is not an error: the member is noted, subscribes to nothing and so is given nothing,
// and the others go on. (Java's leader throws, and no member gets anything for as long as that one is in the group.)
// A member id that comes twice is the caller's fault and an error.
//
// The group keeps the metadata slices: they must not be changed while it, or what is made from it, is in use.
func Decode(join Join) (*Group, error) {
	g := &Group{join: join, members: make([]groupMember, len(join.Members)), rank: map[string]int{}}
	g.join.Members = nil
	in := newInterner(g)
	for i, joined := range join.Members {
		m := &g.members[i]
		m.ID, m.InstanceID = joined.ID, joined.InstanceID
		in.decode(m, joined.Metadata)
	}
	in.sortTopics()
	slices.SortFunc(g.members, func(a, b groupMember) int { return compareMembers(&a.Member, &b.Member) })
	if err := uniqueIDs(g.members); err != nil {
		return nil, err
	}
	return g, nil
}

// Topics lists the topics that at least one member subscribes to, in Java's string order: those whose metadata the leader
// has to fetch. The names are as the members sent them; a topic of such a name may not exist. The slice is the
// group's own and must not be changed.
func (g *Group) Topics() []string { return g.topics }

func uniqueIDs(members []groupMember) error {
	seen := make(map[string]bool, len(members))
	var errs []error
	for i := range members {
		id := members[i].ID
		if seen[id] {
			errs = append(errs, fmt.Errorf("member %q is in the list of members twice: list each member once", id))
		}
		seen[id] = true
	}
	return errors.Join(errs...)
}
