package preview

import (
	"fmt"
	"math"

	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// What bounds an input besides its length: a few bytes of it can ask for much.
const (
	maxPartitions = 10_000_000
	maxReplicas   = 1000
	maxName       = math.MaxInt16 // on the wire
)

// check finds what is wrong with an input, which is at a path of a text. What a member might send is not wrong, however little
// sense it makes: claims of partitions that do not exist, unknown topics, a name twice.
func check(in *vector.Input, text []byte, at []any) []fault {
	c := checker{}
	c.text(text)
	switch {
	case in.Topics == nil:
		c.add("is missing: list the topics, each with name and parts", at, "topics")
	case in.Members == nil:
		c.add("is missing: list the members, each with id and subs", at, "members")
	}
	c.topics(in.Topics, at)
	c.members(in.Members, at)
	if c.further > 0 {
		c.faults = append(c.faults, fault{text: fmt.Sprintf("and %d faults more", c.further)})
	}
	return c.faults
}

type checker struct {
	faults  []fault
	further int // beside these
}

func (c *checker) add(text string, at []any, further ...any) {
	if !c.full() {
		c.faults = append(c.faults, fault{path: append(at[:len(at):len(at)], further...), text: text})
	}
}

// full reports whether there are so many faults that one more is only counted.
func (c *checker) full() bool {
	if len(c.faults) < maxFaults {
		return false
	}
	c.further++
	return true
}

// text finds what encoding/json lets pass, though it has to choose or to make something up: a key twice, text that is none, and
// numbers and names that are not there.
func (c *checker) text(data []byte) {
	w := walker{data: data}
	w.wrong = func(text string) {
		if !c.full() {
			c.faults = append(c.faults, fault{path: names(w.path), offset: w.at, text: text})
		}
	}
	w.walk()
}

func (c *checker) topics(topics []vector.Topic, at []any) {
	first := make(map[string]int, len(topics))
	total := 0
	for i, t := range topics {
		at := append(at[:len(at):len(at)], "topics", i)
		c.name(t.Name, first, i, at, "name")
		switch {
		case t.Parts < 0:
			c.add(fmt.Sprintf("is %d: use 0, for a topic that does not exist, or more", t.Parts), at, "parts")
		case t.Parts > maxPartitions-total:
			c.add(fmt.Sprintf("is %d, which brings the partitions above %d: use fewer", t.Parts, maxPartitions), at, "parts")
		case t.Racks != nil && len(t.Racks) != t.Parts:
			c.add(fmt.Sprintf("has %d lists and parts is %d: give one for each partition, or leave racks out", len(t.Racks), t.Parts),
				at, "racks")
		case t.Lag != nil && len(t.Lag) != t.Parts:
			c.add(fmt.Sprintf("has %d numbers and parts is %d: give one for each partition, or leave lag out", len(t.Lag), t.Parts), at, "lag")
		default:
			total += t.Parts
		}
		for q, racks := range t.Racks {
			if len(racks) > maxReplicas {
				c.add(fmt.Sprintf("has %d replicas: use at most %d", len(racks), maxReplicas), at, "racks", q)
			}
		}
		for q, lag := range t.Lag {
			if lag < 0 {
				c.add(fmt.Sprintf("is %d: use 0 or more", lag), at, "lag", q)
			}
		}
	}
}

func (c *checker) members(members []vector.Member, at []any) {
	first := make(map[string]int, len(members))
	for i := range members {
		m := &members[i]
		at := append(at[:len(at):len(at)], "members", i)
		c.name(m.ID, first, i, at, "id")
		c.length(m.Instance, at, "instance")
		c.length(m.Rack, at, "rack")
		for s, name := range m.Subs {
			c.length(name, at, "subs", s)
		}
		for name := range m.Owned {
			c.length(name, at, "owned")
		}
		if g := m.Since(); g < -1 {
			c.add(fmt.Sprintf("is %d: use 0 or more, or leave gen out for a member that was assigned nothing", g), at, "gen")
		}
		if m.Version != nil && (*m.Version < 0 || *m.Version > protocol.ConsumerVersion) {
			c.add(fmt.Sprintf("is %d: use 0 to %d, or leave v out for the latest", *m.Version, protocol.ConsumerVersion), at, "v")
		}
	}
}

// name checks one that has to be there once.
func (c *checker) name(name string, first map[string]int, i int, at []any, field string) {
	if name == "" {
		c.add("is missing: give one", at, field)
		return
	}
	c.length(name, at, field)
	if before, ok := first[name]; ok {
		c.add(fmt.Sprintf("is %.100q, as that of number %d in the list: give each its own", name, before), at, field)
	}
	first[name] = i
}

func (c *checker) length(name string, at []any, further ...any) {
	if len(name) > maxName {
		c.add(fmt.Sprintf("has a name of %d bytes: use at most %d", len(name), maxName), at, further...)
	}
}
