package timeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// A Watch makes the events of one member. Give the member its Transport and its Events.
//
// What belongs to a join is sent, answered and told by the member's one goroutine, so its fields need no lock. What others
// ask for beside it, offsets and topics, uses none of them.
type Watch struct {
	timeline *Timeline
	name     string
	muted    atomic.Bool

	memberID   string
	generation int32
	protocol   string
	leaderID   string
	reason     string     // why it joined
	members    []Member   // of the generation, if the member leads it
	owned      Partitions // by the last answer to SyncGroup
	held       Partitions // what it has, until it gives that up

	mu     sync.Mutex
	counts Counts // of the topics that the member has asked for; replaced, never changed
}

// Watch returns a watch of the member that has the given client id, which is its name on the timeline.
func (t *Timeline) Watch(clientID string) *Watch {
	return &Watch{timeline: t, name: clientID}
}

// Mute ends the watch: from now on nothing of the member is shown.
func (w *Watch) Mute() { w.muted.Store(true) }

// Transport returns a transport whose sessions are those of inner, watched.
func (w *Watch) Transport(inner protocol.Transport) protocol.Transport {
	return transport{inner, w}
}

type transport struct {
	inner protocol.Transport
	watch *Watch
}

// Open implements protocol.Transport.
func (t transport) Open(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	s, err := t.inner.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return session{s, t.watch}, nil
}

type session struct {
	protocol.Session
	watch *Watch
}

// Request implements protocol.Session. The request is read before it is passed on, since it belongs to the session
// from then on.
func (s session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	answered := s.watch.sent(req)
	_, heartbeat := req.(*kmsg.HeartbeatRequest)
	resp, err := s.Session.Request(ctx, req)
	switch {
	case err == nil && answered != nil:
		answered(resp)
	case err != nil && heartbeat && !errors.Is(ctx.Err(), context.Canceled): // the member's events do not tell of those
		s.watch.add(Event{Kind: Retrying, Error: "Heartbeat: " + err.Error()})
	}
	return resp, err
}

// Events returns what the member shall be configured with.
func (w *Watch) Events() client.Events {
	return client.Events{
		Assigned: func(client.Assignment) { w.assigned() },
		RejoinNeeded: func(r client.RejoinNeeded) {
			w.reason = r.Reason
			w.add(Event{Kind: Rejoining, Generation: r.Generation.ID, Reason: r.Reason})
		},
		Released: func(r client.Release) {
			w.add(Event{Kind: Released, Generation: r.Generation.ID, Partitions: w.held, Lost: r.Lost, Leaving: r.Leaving})
			w.held = nil
		},
		Retrying: func(r client.Retrying) {
			w.add(Event{Kind: Retrying, Error: r.Err.Error(), After: r.After.Round(time.Millisecond)})
		},
		Left: func(_ client.Generation, err error) { w.add(Event{Kind: Left, Error: errorText(err)}) },
		Ended: func(err error) {
			w.add(Event{Kind: Ended, Error: errorText(err)})
		},
	}
}

// Add adds an event about this member.
func (w *Watch) Add(e Event) { w.add(e) }

func (w *Watch) add(e Event) {
	if w.muted.Load() {
		return
	}
	e.Member = w.name
	w.timeline.Add(e)
}

// known remembers the member's id.
func (w *Watch) known(memberID string) {
	w.timeline.mu.Lock()
	defer w.timeline.mu.Unlock()
	delete(w.timeline.local, w.memberID)
	w.timeline.local[memberID] = true
	w.memberID = memberID
}

func (w *Watch) leads() bool { return w.leaderID == w.memberID }

// assigned tells that the join is over, and of the generation, unless its leader is on the same timeline and tells more.
func (w *Watch) assigned() {
	if w.muted.Load() {
		return
	}
	w.timeline.mu.Lock()
	ledHere := w.timeline.local[w.leaderID]
	w.timeline.mu.Unlock()
	if gone := w.held.without(w.owned); len(gone) > 0 { // a cooperative member has kept some
		w.add(Event{Kind: Released, Generation: w.generation, Partitions: gone})
	}
	w.held = w.owned
	w.add(Event{Kind: Assigned, MemberID: w.memberID, Generation: w.generation, Partitions: w.owned})
	if ledHere && !w.leads() {
		return
	}
	e := Event{
		Kind: Generation, Member: w.name, Generation: w.generation, Protocol: w.protocol,
		Leader: w.nameOf(w.leaderID), Members: w.members, Topics: w.partitionCounts(),
	}
	if !w.leads() {
		e.Members = []Member{{Name: w.nameOf(w.memberID), ID: w.memberID, Partitions: w.owned}}
	}
	w.timeline.addGeneration(e, w.knownMembers(), w.leads(), w.reason)
}

// knownMembers returns the names of the generation's members by id: of all in the leader, else of the two that a follower
// hears of.
func (w *Watch) knownMembers() map[string]string {
	ids := []string{w.memberID, w.leaderID}
	if w.leads() {
		ids = ids[:0]
		for _, m := range w.members {
			ids = append(ids, m.ID)
		}
	}
	return ShortNames(ids)
}

func (w *Watch) nameOf(memberID string) string { return w.knownMembers()[memberID] }

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
