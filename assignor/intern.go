package assignor

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/joinsync/joinsync/protocol"
)

// noTopics is the topics section of a subscription to nothing.
var noTopics = []byte{0, 0, 0, 0}

// interner finds members with the same subscription, and numbers the topic names.
type interner struct {
	group   *Group
	seed    maphash.Seed
	classOf map[uint64]int // by hash of the topics section
	last    int            // class of the member before
}

func newInterner(g *Group) *interner {
	return &interner{group: g, seed: maphash.MakeSeed(), classOf: map[uint64]int{}}
}

// decode fills in what a member's metadata says.
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
	m.owned, m.claims = data.owned, data.claims
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
