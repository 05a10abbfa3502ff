package wholepath_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

var (
	errBroken = errors.New("the connection broke")
	errHungUp = errors.New("the session was closed")
)

// network is the way to the coordinator of the moment. By itself it is perfect: it takes no time and loses nothing.
type network struct {
	ledger *ledger

	mu      sync.Mutex
	target  *coordinator.Coordinator
	door    *memnet.Listener // of the broker that the target is in; nil: it is alone
	weather *dice            // nil: perfect

	underWay sync.WaitGroup // requests that have not arrived or are being answered
}

// lead makes all links lead to another coordinator, through the door of a broker if there is one.
func (n *network) lead(to *coordinator.Coordinator, door *memnet.Listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.target, n.door = to, door
}

func (n *network) listening() *memnet.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.door
}

// unreliable makes requests take their time, now and then so long that their sender has given them up or asks another
// coordinator meanwhile, and makes requests and answers get lost. Nil ends it, for what is sent from then on.
func (n *network) unreliable(weather *dice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.weather = weather
}

func (n *network) coordinator() *coordinator.Coordinator {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.target
}

// delay draws how long the next request is under way.
func (n *network) delay() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.weather == nil:
		return 0
	case n.weather.oneIn(100):
		return n.weather.upTo(30 * time.Second)
	}
	return n.weather.upTo(10 * time.Millisecond)
}

// broken tells whether a request or an answer gets lost.
func (n *network) broken() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.weather.oneIn(300)
}

// link is one member's transport. A cut link is silent: no request arrives and no answer comes back, not even of those
// under way.
type link struct {
	network *network

	mu   sync.Mutex
	line context.Context // ends when the link is cut
	end  context.CancelFunc
}

func (n *network) link() *link {
	l := &link{network: n}
	l.line, l.end = context.WithCancel(context.Background())
	return l
}

// mend lets requests through from now on; those that the cut has swallowed stay lost.
func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line.Err() != nil {
		l.line, l.end = context.WithCancel(context.Background())
	}
}

func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

func (l *link) now() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}

// Open implements protocol.Transport.
func (l *link) Open(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	if l.network.listening() != nil {
		return l.openKafka(ctx, id)
	}
	s := &session{link: l, id: id}
	s.closed, s.close = context.WithCancel(context.Background())
	return s, nil
}

type session struct {
	link   *link
	id     protocol.Identity
	closed context.Context
	close  context.CancelFunc

	mu    sync.Mutex
	lanes [3]chan struct{} // closed when the last request of the lane is done with
}

// A session has three lanes, as three connections: one for what the coordinator parks, one for heartbeats, and one for the
// rest. Each keeps its requests in order, and lets the next one through when the last is answered or given up. Without
// that, a late commit could overwrite a newer one of the same member in the same generation; Kafka has no other protection
// against it either. With a single lane no request would outlive its generation, since the heartbeat that tells of the
// rebalance would be behind it.
func (s *session) lane(req kmsg.Request) (before <-chan struct{}, done chan<- struct{}) {
	lane := &s.lanes[0]
	switch {
	case parked(req):
		lane = &s.lanes[1]
	case req.Key() == int16(kmsg.Heartbeat):
		lane = &s.lanes[2]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, next := *lane, make(chan struct{})
	*lane = next
	return last, next
}

// parked tells whether the coordinator may hold a request until others come.
func parked(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.JoinGroupRequest, *kmsg.SyncGroupRequest:
		return true
	}
	return false
}

// Request implements protocol.Session.
func (s *session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.closed, func() { cancel(errHungUp) })()
	line := s.link.now()
	target, delay := s.link.network.coordinator(), s.link.network.delay()
	before, done := s.lane(req)
	type answer struct {
		resp kmsg.Response
		err  error
	}
	answered := make(chan answer, 1)
	// What was sent arrives, whether or not anybody waits for the answer; but not from a session that was closed: the late
	// join of a static member's former process would fence the one that runs now, as it would with Kafka.
	s.link.network.underWay.Go(func() {
		defer close(done)
		if delay > 0 {
			time.Sleep(delay)
		}
		if before != nil {
			<-before
		}
		if line.Err() == nil && s.closed.Err() == nil {
			resp, err := s.deliver(ctx, target, req)
			answered <- answer{resp, err}
		}
	})
	select {
	case a := <-answered:
		if line.Err() == nil {
			return a.resp, a.err
		}
		<-ctx.Done()
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}

// deliver hands a request to the coordinator that it was sent to. Of whom gives up waiting, the request stays there.
func (s *session) deliver(ctx context.Context, target *coordinator.Coordinator, req kmsg.Request) (kmsg.Response, error) {
	inner, err := target.Open(ctx, s.id)
	if err != nil {
		return nil, err
	}
	if s.link.network.broken() {
		return nil, errBroken
	}
	if !parked(req) {
		ctx = context.WithoutCancel(ctx) // to see the answer even if nobody waits for it
	}
	latest := s.link.network.ledger.generation()
	resp, err := inner.Request(ctx, req)
	s.link.network.ledger.answered(latest, req, resp)
	if s.link.network.broken() {
		return nil, errBroken
	}
	return resp, err
}

// Close implements protocol.Session.
func (s *session) Close() error {
	s.close()
	return nil
}
