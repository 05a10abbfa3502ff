package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/protocol"
)

// A namebook maps between what a script writes and what the target knows: member ids, which are random, have names such as
// $A, and so have producer ids; group ids and transactional ids have a prefix that keeps scripts on one broker apart, and
// topics may have one; topic ids stand for topic names.
type namebook struct {
	ids         map[string]string // member id by name, without the $
	byID        map[string]string
	producers   map[string]int64 // producer id by name, without the $
	anyMember   bool             // a member id may have any form
	prefix      string           // of group ids
	topicPrefix string
	topics      map[string][16]byte // by name, without the prefix
}

func newNamebook(prefix, topicPrefix string) *namebook {
	return &namebook{
		ids:         map[string]string{},
		byID:        map[string]string{},
		producers:   map[string]int64{},
		prefix:      prefix,
		topicPrefix: topicPrefix,
		topics:      map[string][16]byte{},
	}
}

// bind names a member id that is seen for the first time after the client that got it: $A, and after that $A2, $A3.
// An id that is not of the form that Kafka makes, <stem>-<random UUID> (G-017, G-018), gets no name, unless any will do, so
// that it stands out in the answer.
func (n *namebook) bind(client, stem, id string) {
	if id == "" || n.byID[id] != "" || !n.anyMember && !madeByCoordinator(stem, id) {
		return
	}
	name := client
	for i := 2; n.ids[name] != ""; i++ {
		name = fmt.Sprintf("%s%d", client, i)
	}
	n.ids[name] = id
	n.byID[id] = name
}

// bindProducer names a producer id that is seen for the first time after the client that got it: $P, and after that $P2.
func (n *namebook) bindProducer(client string, id int64) {
	if n.producerName(id) != "" {
		return
	}
	name := client
	for i := 2; ; i++ {
		if _, taken := n.producers[name]; !taken {
			break
		}
		name = fmt.Sprintf("%s%d", client, i)
	}
	n.producers[name] = id
}

func (n *namebook) producerName(id int64) string {
	for name, known := range n.producers {
		if known == id {
			return "$" + name
		}
	}
	return ""
}

// madeByCoordinator reports whether id is stem, a hyphen and a random UUID in its 36-character form.
func madeByCoordinator(stem, id string) bool {
	uuid, ok := strings.CutPrefix(id, stem+"-")
	if !ok || len(uuid) != 36 {
		return false
	}
	for i, c := range []byte(uuid) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		case 14: // the UUID's version: random
			if c != '4' {
				return false
			}
		default:
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
				return false
			}
		}
	}
	return true
}

// member reads a member id: $A by its name, anything else as it is.
func (n *namebook) member(to *string) setter {
	return func(value string) error {
		name, ok := strings.CutPrefix(value, "$")
		if !ok {
			return text(to)(value)
		}
		id, ok := n.ids[name]
		if !ok {
			return fmt.Errorf("no member id is known as $%s yet; known are %q", name, slices.Sorted(maps.Keys(n.ids)))
		}
		*to = id
		return nil
	}
}

// producer reads a producer id: $P by its name, or a number.
func (n *namebook) producer(to *int64) setter {
	return func(value string) error {
		name, ok := strings.CutPrefix(value, "$")
		if !ok {
			return integer(to)(value)
		}
		id, ok := n.producers[name]
		if !ok {
			return fmt.Errorf("no producer id is known as $%s yet; known are %q", name, slices.Sorted(maps.Keys(n.producers)))
		}
		*to = id
		return nil
	}
}

// groups reads a list of group ids.
func (n *namebook) groups(to *[]string) setter {
	return each(func(entry string) error {
		var id string
		err := n.group(&id)(entry)
		*to = append(*to, id)
		return err
	})
}

// group reads a group id, or a transactional one. The empty one stays empty.
func (n *namebook) group(to *string) setter {
	return func(value string) error {
		if err := text(to)(value); err != nil || *to == "" {
			return err
		}
		*to = n.prefix + *to
		return nil
	}
}

// topic returns what a topic is called on the target. No topic stays none.
func (n *namebook) topic(name string) string {
	if name == "" {
		return ""
	}
	return n.topicPrefix + name
}

// topicID returns the id of a topic, by its name with or without the prefix; one that the target does not have gets one that
// nobody has.
func (n *namebook) topicID(name string) [16]byte {
	name = strings.TrimPrefix(name, n.topicPrefix)
	id, ok := n.topics[name]
	if !ok {
		copy(id[:], name)
		id[15] = 0xff
		n.topics[name] = id
	}
	return id
}

// transcript renders with the script's names.
func (n *namebook) transcript() protocol.Transcript {
	return protocol.Transcript{
		Member: func(id string) string {
			if name := n.byID[id]; name != "" {
				return "$" + name
			}
			return ""
		},
		Group: func(id string) string { return strings.TrimPrefix(id, n.prefix) },
		Topic: func(id [16]byte) string {
			for name, known := range n.topics {
				if known == id {
					return name
				}
			}
			return ""
		},
		Producer: n.producerName,
	}
}
