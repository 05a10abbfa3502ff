package group

import (
	"bytes"
	"slices"
)

// member is one member of a group (G-008).
type member struct {
	id         string
	instanceID *string
	clientID   string
	clientHost string

	sessionTimeout   Millis
	rebalanceTimeout Millis
	protocols        []Protocol // no name twice
	assignment       []byte

	session timer // fires when the member has been silent for too long

	join   Token // parked JoinGroup, or 0
	sync   Token // parked SyncGroup, or 0
	isNew  bool  // its first join is not answered yet
	toSync bool  // it was answered its join of this generation and has not synced (the pending-sync set)

	prev, next *member // in join order
}

// satisfied tells whether the member need not send heartbeats now: it waits for us (G-131). A new member can expire
// while it is parked.
func (m *member) satisfied() bool { return !m.isNew && (m.join != 0 || m.sync != 0) }

// static tells whether the member has an instance id (KIP-345).
func (m *member) static() bool { return m.instanceID != nil }

// metadata returns the member's metadata for a protocol.
func (m *member) metadata(protocol string) []byte {
	for i := range m.protocols {
		if m.protocols[i].Name == protocol {
			return m.protocols[i].Metadata
		}
	}
	return nil
}

// matches tells whether the list of protocols is the member's own: same order, names and bytes (G-016).
func (m *member) matches(protocols []Protocol) bool {
	return slices.EqualFunc(m.protocols, protocols, func(a, b Protocol) bool {
		return a.Name == b.Name && bytes.Equal(a.Metadata, b.Metadata)
	})
}

// distinct returns the protocols without those whose name came before (G-093: the first counts).
func distinct(protocols []Protocol) []Protocol {
	const few = 16 // up to here comparing all pairs is cheaper than a set
	if len(protocols) <= few && !doubled(protocols) {
		return protocols
	}
	seen := make(map[string]bool, len(protocols))
	var kept []Protocol
	for _, p := range protocols {
		if !seen[p.Name] {
			seen[p.Name] = true
			kept = append(kept, p)
		}
	}
	return kept
}

func doubled(protocols []Protocol) bool {
	for i := range protocols {
		if slices.ContainsFunc(protocols[:i], func(p Protocol) bool { return p.Name == protocols[i].Name }) {
			return true
		}
	}
	return false
}

// roster holds the members by id and in the order in which they joined. That order stands wherever Kafka leaves one
// open: the leader's list, the election of a new leader, the order of answers.
type roster struct {
	byID        map[string]*member
	first, last *member
}

func (r *roster) len() int { return len(r.byID) }

func (r *roster) add(m *member) {
	if r.byID == nil {
		r.byID = make(map[string]*member)
	}
	r.byID[m.id] = m
	m.prev = r.last
	if r.last == nil {
		r.first = m
	} else {
		r.last.next = m
	}
	r.last = m
}

func (r *roster) remove(m *member) {
	delete(r.byID, m.id)
	if m.prev == nil {
		r.first = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next == nil {
		r.last = m.prev
	} else {
		m.next.prev = m.prev
	}
	// m keeps its own links, so that a walk may remove the member that it stands on.
}

// all walks the members in join order; the member that it yields may be removed meanwhile.
func (r *roster) all(yield func(*member) bool) {
	for m := r.first; m != nil; m = m.next {
		if !yield(m) {
			return
		}
	}
}
