package coordinator

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// localHost is the address of who calls from the same process.
const localHost = "/127.0.0.1"

// Open opens a session within this process: no bytes, no network, the same answers. Every request is sent in the
// highest version that both member and coordinator know. It implements protocol.Transport.
func (c *Coordinator) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	select {
	case <-c.closing:
		return nil, ErrClosed
	default:
	}
	closed := make(chan struct{})
	return &session{
		coordinator: c, versions: protocol.MemberVersions(), closed: closed,
		peer: Peer{ClientID: id.ClientID, Host: localHost, gone: closed},
	}, nil
}

var _ protocol.Transport = (*Coordinator)(nil)

type session struct {
	coordinator *Coordinator
	peer        Peer
	versions    protocol.Versions

	closeOnce sync.Once
	closed    chan struct{}
}

// Request implements protocol.Session.
func (s *session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	version, err := s.versions.Negotiate(req.Key(), s.coordinator.versions)
	if err != nil {
		return nil, err
	}
	req.SetVersion(version)
	return s.coordinator.Handle(ctx, s.peer, req)
}

// Close implements protocol.Session.
func (s *session) Close() error {
	s.closeOnce.Do(func() { close(s.closed) })
	return nil
}
