package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Socket is a broker behind an address: Apache Kafka, or a server of ours. It must coordinate all groups.
//
// It writes frames itself and leaves nothing to a client library, since a script says exactly what goes over the wire,
// and nothing may be retried.
type Socket struct {
	Addr        string
	GroupPrefix string
	TopicPrefix string

	// Bubble is synctest.Wait if the broker is in the script's bubble, behind an in-memory network; else nil.
	Bubble func()

	// EndsAtOnce says that the broker answers EndTxn when every group has heard of the end, and not before, as ours; so
	// nobody needs to ask whether it is over.
	EndsAtOnce bool

	// Dial connects to Addr; nil: over TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

var _ Target = (*Socket)(nil)

// Idle implements [Target].
func (s *Socket) Idle() func() { return s.Bubble }

// Prefixes implements [Target].
func (s *Socket) Prefixes() (group, topic string) { return s.GroupPrefix, s.TopicPrefix }

// Open returns a session that dials when it needs a connection.
func (s *Socket) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	dial := s.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &socketSession{
		formatter:  kmsg.NewRequestFormatter(kmsg.FormatterClientID(id.ClientID)),
		dial:       func(ctx context.Context) (net.Conn, error) { return dial(ctx, "tcp", s.Addr) },
		conns:      map[net.Conn]bool{},
		endsAtOnce: s.EndsAtOnce,
	}, nil
}

// A socketSession sends each request over a connection that has nothing else under way, since a broker answers the
// requests of one connection in turn: behind a parked JoinGroup everything would wait.
type socketSession struct {
	formatter  *kmsg.RequestFormatter
	dial       func(ctx context.Context) (net.Conn, error)
	endsAtOnce bool

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool // true: idle
}

// errConnectionClosed stands for every failure of a connection, so that scripts read the same on every system.
var errConnectionClosed = errors.New("connection closed")

var errSessionClosed = errors.New("the session is closed")

// Request sends req in the version that it has. When ctx ends the connection is closed.
func (s *socketSession) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if id, ok := inTransaction(req); ok {
		return s.requestInTransaction(ctx, id, req)
	}
	return s.send(ctx, req)
}

func (s *socketSession) send(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	conn, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	written, _ := ctx.Value(whenWritten{}).(func())
	resp, err := exchange(conn, s.formatter, req, written)
	if stop() && err == nil {
		s.give(conn)
	} else {
		s.drop(conn)
	}
	return resp, err
}

// Close closes every connection.
func (s *socketSession) Close() error {
	s.mu.Lock()
	s.closed = true
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
	return nil
}

// take returns an idle connection or a new one.
func (s *socketSession) take(ctx context.Context) (net.Conn, error) {
	if conn := s.idle(); conn != nil {
		return conn, nil
	}
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		conn.Close()
		return nil, errSessionClosed
	}
	s.conns[conn] = false
	return conn, nil
}

func (s *socketSession) idle() net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn, idle := range s.conns {
		if idle {
			s.conns[conn] = false
			return conn
		}
	}
	return nil
}

func (s *socketSession) give(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[conn] = true
}

func (s *socketSession) drop(conn net.Conn) {
	conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// maxResponse bounds what a broker may answer.
const maxResponse = 16 << 20

// Exchange writes one request and reads its response, over a connection that has nothing else under way.
func Exchange(conn net.Conn, formatter *kmsg.RequestFormatter, req kmsg.Request) (kmsg.Response, error) {
	return exchange(conn, formatter, req, nil)
}

// whenWritten is the key of the func() in the context of a request that is called when a connection has it.
type whenWritten struct{}

func exchange(conn net.Conn, formatter *kmsg.RequestFormatter, req kmsg.Request, written func()) (kmsg.Response, error) {
	const correlation = 1 // one request is under way at a time
	if _, err := conn.Write(formatter.AppendRequest(nil, req, correlation)); err != nil {
		return nil, errConnectionClosed
	}
	if written != nil {
		written()
	}
	frame, err := protocol.ReadFrame(conn, maxResponse)
	if _, tooLong := errors.AsType[*protocol.FrameSizeError](err); tooLong {
		return nil, err
	} else if err != nil {
		return nil, errConnectionClosed
	}
	resp := req.ResponseKind()
	id, err := protocol.ReadResponse(frame, resp)
	if err == nil && id != correlation {
		err = fmt.Errorf("the response has correlation id %d, not %d", id, correlation)
	}
	return resp, err
}
