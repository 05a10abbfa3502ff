package assignor

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/joinsync/joinsync/protocol"
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
	in := interner{group: g, seed: maphash.MakeSeed(), classOf: map[uint64]int{}}
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

// noTopics is the topics section of a subscription to nothing.
var noTopics = []byte{0, 0, 0, 0}

// interner finds members with the same subscription, and numbers the topic names.
type interner struct {
	group   *Group
	seed    maphash.Seed
	classOf map[uint64]int // by hash of the topics section
	last    int            // class of the member before
}

func (in *interner) decode(m *groupMember, src []byte) {
	var known []byte
	if len(in.group.classes) > 0 {
		known = in.group.classes[in.last].section
	}
	data, ok := splitMetadata(src, known)
	if !ok {
		_, err := protocol.DecodeSubscription(src)
		in.group.notes.add(Note{Member: m.ID, Text: fmt.Sprintf("it is assigned nothing, as its metadata cannot be read: %v", err)})
		data = metadata{topics: noTopics, generation: -1}
	}
	in.last = in.class(data.topics, m.ID)
	m.Class = in.last
	m.UserData, m.Generation, m.Rack = data.userData, data.generation, data.rack
	m.owned = data.owned
}

// class finds the class of a topics section, or makes it. Two sections of one hash and different bytes are so rare that
// the later one just does not become findable.
func (in *interner) class(section []byte, sender string) int {
	classes := in.group.classes
	if len(classes) > 0 && string(classes[in.last].section) == string(section) {
		return in.last
	}
	hash := maphash.Bytes(in.seed, section)
	c, found := in.classOf[hash]
	if found && string(classes[c].section) == string(section) {
		return c
	}
	c = len(classes)
	if !found {
		in.classOf[hash] = c
	}
	in.group.classes = append(classes, groupClass{section: section, sender: sender, topics: in.numbers(section)})
	return c
}

// numbers gives the topics of a section by number, in the section's order, numbering those not seen before.
func (in *interner) numbers(section []byte) []int {
	g := in.group
	r := reader{rest: section}
	list := make([]int, r.int32())
	for i := range list {
		name := r.string()
		n, ok := g.rank[string(name)]
		if !ok {
			n = len(g.topics)
			g.topics = append(g.topics, string(name))
			g.rank[g.topics[n]] = n
		}
		list[i] = n
	}
	return list
}

// sortTopics renumbers the topics in Java's string order, and makes each class a set.
func (in *interner) sortTopics() {
	g := in.group
	first := slices.Clone(g.topics)
	slices.SortFunc(g.topics, protocol.CompareJava)
	for n, name := range g.topics {
		g.rank[name] = n
	}
	renumber := make([]int, len(first))
	for n, name := range first {
		renumber[n] = g.rank[name]
	}
	for c := range g.classes {
		list := g.classes[c].topics
		for i, n := range list {
			list[i] = renumber[n]
		}
		slices.Sort(list)
		g.classes[c].topics = slices.Compact(list)
		if doubled := len(list) - len(g.classes[c].topics); doubled > 0 {
			g.notes.add(Note{Member: g.classes[c].sender, Text: fmt.Sprintf(
				"its subscription names topics more than once: %d names are dropped", doubled)})
		}
	}
}
