package demo

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// A life is a transport whose sessions go dead when it ends, as those of a process do that is killed: no request leaves
// any more, not even LeaveGroup, and no answer arrives.
type life struct {
	protocol.Transport
	over context.Context
	end  context.CancelFunc
}

func newLife(t protocol.Transport) *life {
	l := &life{Transport: t}
	l.over, l.end = context.WithCancel(context.Background())
	return l
}

// Open implements protocol.Transport.
func (l *life) Open(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	s, err := l.Transport.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return mortal{s, l}, nil
}

// mortal is a session of a life.
type mortal struct {
	protocol.Session
	life *life
}

// Request implements protocol.Session.
func (m mortal) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if m.life.over.Err() != nil {
		return nil, deadError{}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life.over, cancel)()
	resp, err := m.Session.Request(ctx, req)
	if m.life.over.Err() != nil {
		return nil, deadError{}
	}
	return resp, err
}

// deadError is what the member of an ended life gets to see. No retry mends it, so the member ends too, and leaves nothing
// running.
type deadError struct{}

func (deadError) Error() string { return "the process is dead" }

// Permanent marks the error for client.Permanent.
func (deadError) Permanent() bool { return true }
