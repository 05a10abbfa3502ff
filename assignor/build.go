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
	sets := numbering{numbers: map[string]int{}}
	classOf := make([]int, len(g.classes))
	for c := range classOf {
		classOf[c] = absent
	}
	for m := range g.members {
		from := g.members[m].Class
		if classOf[from] == absent {
			classOf[from] = p.class(&sets, g.classes[from].topics, index)
		}
		p.Members[m] = g.members[m].Member
		p.Members[m].Class = classOf[from]
		class := &p.Classes[classOf[from]]
		class.Members = append(class.Members, m)
	}
	g.noteMissing(index, &p.notes)
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

// subscribers counts members.
type subscribers struct{ count, first int }

func (s *subscribers) add(count, first int) {
	if s.count == 0 || first < s.first {
		s.first = first
	}
	s.count += count
}

// noteMissing notes the topics that are left out, and who subscribes to them. It goes by classes, as there are far fewer of these
// than members.
func (g *Group) noteMissing(index []int, to *notes) {
	if !slices.Contains(index, absent) {
		return
	}
	ofClass, ofTopic := make([]subscribers, len(g.classes)), make([]subscribers, len(g.topics))
	for m := range g.members {
		ofClass[g.members[m].Class].add(1, m)
	}
	for c := range g.classes {
		for _, n := range g.classes[c].topics {
			ofTopic[n].add(ofClass[c].count, ofClass[c].first)
		}
	}
	for n, i := range index {
		if i == absent {
			to.add(Note{Topic: g.topics[n], Text: fmt.Sprintf(
				"it does not exist or has no partitions, so it is left out (subscribers: %d, the first is %q)",
				ofTopic[n].count, g.members[ofTopic[n].first].ID)})
		}
	}
}
