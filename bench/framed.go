package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// framed is a transport that sends requests as frames to one coordinator.
type framed struct {
	dial     dialer
	versions protocol.Versions // of the coordinator
}

// dialer makes a connection to the coordinator.
type dialer func(ctx context.Context) (net.Conn, error)

// negotiate asks for the coordinator's versions.
func (f *framed) negotiate(ctx context.Context) error {
	conn := f.newConn("bench")
	defer conn.close()
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "bench", "1"
	req.Version = 3
	resp, err := conn.ask(ctx, req)
	if err != nil {
		return fmt.Errorf("asking for versions: %w", err)
	}
	f.versions = protocol.VersionsOf(resp.(*kmsg.ApiVersionsResponse))
	return nil
}

// Open implements protocol.Transport.
func (f *framed) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	return &session{
		ours: protocol.MemberVersions(), theirs: f.versions,
		parked: f.newConn(id.ClientID), other: f.newConn(id.ClientID),
	}, nil
}

// session has a connection for the requests that the coordinator parks, so that they delay no others.
type session struct {
	ours, theirs  protocol.Versions
	parked, other *conn
}

// Request implements protocol.Session.
func (s *session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	version, err := s.ours.Negotiate(req.Key(), s.theirs)
	if err != nil {
		return nil, err
	}
	req.SetVersion(version)
	switch req.(type) {
	case *kmsg.JoinGroupRequest, *kmsg.SyncGroupRequest:
		return s.parked.ask(ctx, req)
	}
	return s.other.ask(ctx, req)
}

// Close implements protocol.Session.
func (s *session) Close() error {
	s.parked.close()
	s.other.close()
	return nil
}

var errClosed = errors.New("the connection was closed")

// conn is one connection, made when it is first needed. It carries one request at a time, since a broker answers one at
// a time.
type conn struct {
	dial      dialer
	formatter *kmsg.RequestFormatter
	ended     context.Context
	end       context.CancelCauseFunc

	mu          sync.Mutex // held while a request is under way
	net         net.Conn
	correlation int32
	out         []byte
}

func (f *framed) newConn(clientID string) *conn {
	c := &conn{dial: f.dial, formatter: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID))}
	c.ended, c.end = context.WithCancelCause(context.Background())
	return c
}

// ask sends a request and waits for its response. A request that is given up takes the connection with it.
func (c *conn) ask(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Err() != nil {
		return nil, context.Cause(c.ended)
	}
	if c.net == nil {
		var err error
		if c.net, err = c.dial(ctx); err != nil {
			return nil, err
		}
		context.AfterFunc(c.ended, func() { c.net.Close() })
	}
	defer context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)) })()
	resp, err := c.exchange(req)
	if err != nil {
		c.end(err)
		return nil, context.Cause(c.ended)
	}
	return resp, nil
}

func (c *conn) exchange(req kmsg.Request) (kmsg.Response, error) {
	c.correlation++
	c.out = c.formatter.AppendRequest(c.out[:0], req, c.correlation)
	if _, err := c.net.Write(c.out); err != nil {
		return nil, err
	}
	frame, err := protocol.ReadFrame(c.net, protocol.MaxFrame)
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	correlation, err := protocol.ReadResponse(frame, resp)
	if err == nil && correlation != c.correlation {
		err = fmt.Errorf("answer %d to request %d", correlation, c.correlation)
	}
	return resp, err
}

func (c *conn) close() { c.end(errClosed) }
