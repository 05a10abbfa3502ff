package wholepath_test

import (
	"context"
	"errors"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

var (
	errBroken = errors.New("the connection broke")
	errHungUp = errors.New("the session was closed")
)

// network is the way to the coordinator of the moment.
type network struct {
	mu     sync.Mutex
	target *coordinator.Coordinator
	breaks func() bool // asked before and after each request; nil: never
}

// lead makes all links lead to another coordinator.
func (n *network) lead(to *coordinator.Coordinator) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.target = to
}

// unreliable makes requests and answers get lost whenever breaks says so; nil: never again.
func (n *network) unreliable(breaks func() bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.breaks = breaks
}

func (n *network) coordinator() *coordinator.Coordinator {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.target
}

func (n *network) broken() bool {
	n.mu.Lock()
	breaks := n.breaks
	n.mu.Unlock()
	return breaks != nil && breaks()
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
func (l *link) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	s := &session{link: l, id: id}
	s.closed, s.close = context.WithCancel(context.Background())
	return s, nil
}

type session struct {
	link   *link
	id     protocol.Identity
	closed context.Context
	close  context.CancelFunc

	mu     sync.Mutex
	inner  protocol.Session
	target *coordinator.Coordinator // whose session inner is
}

// Request implements protocol.Session.
func (s *session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.closed, func() { cancel(errHungUp) })()
	line := s.link.now()
	underWay, giveUp := context.WithCancel(ctx)
	defer giveUp()
	defer context.AfterFunc(line, giveUp)()

	var resp kmsg.Response
	var err error
	if line.Err() == nil {
		resp, err = s.deliver(underWay, req)
	}
	if line.Err() != nil {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return resp, err
}

func (s *session) deliver(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	inner, err := s.toCoordinator(ctx)
	if err != nil {
		return nil, err
	}
	if s.link.network.broken() {
		return nil, errBroken
	}
	resp, err := inner.Request(ctx, req)
	if s.link.network.broken() {
		return nil, errBroken
	}
	return resp, err
}

// toCoordinator returns the session with the coordinator of the moment.
func (s *session) toCoordinator(ctx context.Context) (protocol.Session, error) {
	target := s.link.network.coordinator()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.target != target {
		inner, err := target.Open(ctx, s.id)
		if err != nil {
			return nil, err
		}
		s.inner, s.target = inner, target
	}
	return s.inner, nil
}

// Close implements protocol.Session.
func (s *session) Close() error {
	s.close()
	return nil
}
