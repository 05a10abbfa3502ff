package sim

import (
	"slices"

	"github.com/joinsync/joinsync/group"
)

// wire is the network between members and coordinator: what was sent and has not arrived, and the last requests that did,
// which may arrive once more.
type wire struct {
	messages []message
	arrived  []*request
}

// message is a request, or an answer to one.
type message struct {
	request *request
	answer  *group.Reply // nil: the request itself
	due     group.Time   // when it arrives, once all is calm
}

// request is an event on its way. Administrators have no member.
type request struct {
	from   *member
	number uint64
	event  group.Event
}

const (
	maxOnWire  = 64
	maxArrived = 32
	latency    = 2
)

// send puts a message on the wire. What the wire does not hold is lost.
func (w *wire) send(s *simulation, m message) {
	if m.answer != nil {
		answer := *m.answer
		m.answer = &answer
	}
	m.due = s.time + latency
	if len(w.messages) < maxOnWire {
		w.messages = append(w.messages, m)
	}
}

// take takes the nth message off the wire.
func (w *wire) take(n int) message {
	m := w.messages[n]
	w.messages = slices.Delete(w.messages, n, n+1)
	return m
}

// deliver hands a message over.
func (s *simulation) deliver(m message) {
	if m.answer != nil {
		m.request.from.hear(s, m.request, m.answer)
		return
	}
	w := &s.wire
	if len(w.arrived) == maxArrived {
		w.arrived = slices.Delete(w.arrived, 0, 1)
	}
	w.arrived = append(w.arrived, m.request)
	s.receive(m.request)
}
