package assignor

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Problem matches the group with the topics that exist. Topics without metadata or without partitions are left out and
// noted (G-534), like claims of partitions that do not exist. A topic listed twice, a negative partition count or
// replicas for another number of partitions are the caller's fault, and errors.
//
// The problem keeps the Racks of the cluster and the Replicas of its topics: they must not be changed while it is in use.
func (g *Group) Problem(c Cluster) (*Problem, error) {
	byName, err := c.byName()
	if err != nil {
		return nil, err
	}
	p := &Problem{
		Generation: g.join.Generation,
		Previous:   g.join.Previous,
		Racks:      c.Racks,
		offsets:    &offsets{fetch: c.Offsets},
		Leader:     g.member(g.join.Leader),
		Self:       g.member(g.join.Self),
	}
	p.notes.kept = slices.Clone(g.notes.kept)
	p.notes.dropped = g.notes.dropped

	p.group, p.index = g, p.addTopics(g, byName)
	p.addMembers(g, p.index)
	p.addSubscribers()
	p.addOwned()
	return p, nil
}

// member is the index of a member in the group's order; -1 if it is not there.
func (g *Group) member(id string) int {
	return slices.IndexFunc(g.members, func(m groupMember) bool { return m.ID == id })
}

// absent marks, in an index from the group's topics to the problem's, those that are left out.
const absent = -1

// addTopics takes over the topics that exist, and returns their index by the group's.
func (p *Problem) addTopics(g *Group, byName map[string]*Topic) []int {
	index := make([]int, len(g.topics))
	p.base = append(p.base, 0)
	for n, name := range g.topics {
		t := byName[name]
		if t == nil || t.Partitions == 0 {
			index[n] = absent
			continue
		}
		index[n] = len(p.Topics)
		p.Topics = append(p.Topics, *t)
		p.base = append(p.base, p.base[index[n]]+t.Partitions)
	}
	return index
}

// addMembers takes over the members, and the classes in the order of their first members. Classes that differ only in
// topics that are left out become one.
func (p *Problem) addMembers(g *Group, index []int) {
	p.Members = make([]Member, len(g.members))
	missing := newMissing(g, index)
	sets := numbering{numbers: map[string]int{}}
	classOf := make([]int, len(g.classes))
	for c := range classOf {
		classOf[c] = absent
	}
	for m := range g.members {
		from := g.members[m].Class
		missing.count(from, m)
		if classOf[from] == absent {
			classOf[from] = p.class(&sets, g.classes[from].topics, index)
		}
		p.Members[m] = g.members[m].Member
		p.Members[m].Class = classOf[from]
		class := &p.Classes[classOf[from]]
		class.Members = append(class.Members, m)
	}
	missing.note(&p.notes)
}

// class finds the class of a set of the group's topics, or makes it.
func (p *Problem) class(sets *numbering, topics, index []int) int {
	existing := topics
	if len(p.Topics) < len(index) {
		existing = make([]int, 0, len(topics))
		for _, n := range topics {
			if index[n] != absent {
				existing = append(existing, index[n])
			}
		}
	}
	c, known := sets.of(existing)
	if !known {
		p.Classes = append(p.Classes, Class{Topics: existing})
	}
	return c
}

// addSubscribers gives each topic the members of the classes that have it, once for all topics with the same classes.
func (p *Problem) addSubscribers() {
	counts := make([]int, len(p.Topics))
	for c := range p.Classes {
		for _, t := range p.Classes[c].Topics {
			counts[t]++
		}
	}
	classes := make([][]int, len(p.Topics))
	for c := range p.Classes {
		for _, t := range p.Classes[c].Topics {
			if classes[t] == nil {
				classes[t] = make([]int, 0, counts[t])
			}
			classes[t] = append(classes[t], c)
		}
	}
	p.audience = make([]int, len(p.Topics))
	audiences := numbering{numbers: map[string]int{}}
	for t := range p.Topics {
		a, known := audiences.of(classes[t])
		if !known {
			p.audiences = append(p.audiences, p.membersOf(classes[t]))
		}
		p.audience[t] = a
	}
}

// membersOf lists the members of some classes, ascending.
func (p *Problem) membersOf(classes []int) []int {
	if len(classes) == 1 {
		return p.Classes[classes[0]].Members
	}
	count := 0
	for _, c := range classes {
		count += len(p.Classes[c].Members)
	}
	members := make([]int, 0, count)
	for _, c := range classes {
		members = append(members, p.Classes[c].Members...)
	}
	slices.Sort(members)
	return members
}

// numbering numbers lists of indices, equal ones alike.
type numbering struct {
	numbers map[string]int
	key     []byte
}

// of gives the number of a list: the next one and false if it is new.
func (n *numbering) of(list []int) (number int, known bool) {
	n.key = appendInts(n.key[:0], list)
	number, known = n.numbers[string(n.key)]
	if !known {
		number = len(n.numbers)
		n.numbers[string(n.key)] = number
	}
	return number, known
}

func appendInts[I int | int32](key []byte, list []I) []byte {
	for _, i := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(i))
	}
	return key
}

// missing counts who subscribes to topics that are left out.
type missing struct {
	group       *Group
	index       []int
	subscribers []int // by the group's topics
	first       []int // one of the subscribers
	any         bool
}

func newMissing(g *Group, index []int) *missing {
	return &missing{
		group:       g,
		index:       index,
		subscribers: make([]int, len(index)),
		first:       make([]int, len(index)),
		any:         slices.Contains(index, absent),
	}
}

func (c *missing) count(class, member int) {
	if !c.any {
		return
	}
	for _, n := range c.group.classes[class].topics {
		if c.index[n] != absent {
			continue
		}
		if c.subscribers[n] == 0 {
			c.first[n] = member
		}
		c.subscribers[n]++
	}
}

func (c *missing) note(to *notes) {
	for n, i := range c.index {
		if i != absent {
			continue
		}
		to.add(Note{Topic: c.group.topics[n], Text: fmt.Sprintf(
			"it does not exist or has no partitions, so it is left out (subscribers: %d, the first is %q)",
			c.subscribers[n], c.group.members[c.first[n]].ID)})
	}
}
