package memnet

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// backlog is how many connections may wait to be accepted, as with a real listener. One more has to wait.
const backlog = 128

// A Listener is where connections within the process arrive. Its methods may be called concurrently.
type Listener struct {
	addr  net.Addr
	conns chan net.Conn

	closeOnce sync.Once
	closed    chan struct{}
}

var _ net.Listener = (*Listener)(nil)

// Listen returns a listener that says of itself that it has the given address.
func Listen(addr net.Addr) *Listener {
	return &Listener{addr: addr, conns: make(chan net.Conn, backlog), closed: make(chan struct{})}
}

// Accept returns the next connection, or net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case <-l.closed:
		return nil, l.failed("accept", net.ErrClosed)
	default:
	}
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, l.failed("accept", net.ErrClosed)
	}
}

// Close makes Accept and Dial fail, and ends the connections that nobody has accepted.
func (l *Listener) Close() error {
	l.closeOnce.Do(func() { close(l.closed) })
	for {
		select {
		case conn := <-l.conns:
			conn.Close()
		default:
			return nil
		}
	}
}

// Addr returns the address that Listen was given.
func (l *Listener) Addr() net.Addr { return l.addr }

// Dial returns a new connection to the listener. It does not wait until it is accepted.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := Pipe(clientAddr, l.addr)
	select {
	case <-l.closed:
		return nil, l.failed("dial", errRefused)
	default:
	}
	select {
	case l.conns <- server:
	case <-l.closed:
		return nil, l.failed("dial", errRefused)
	case <-ctx.Done():
		return nil, l.failed("dial", context.Cause(ctx))
	}
	select {
	case <-l.closed: // perhaps after Close has emptied the backlog
		l.Close()
	default:
	}
	return client, nil
}

// DialContext dials the listener whatever the address, in the shape that dialers of clients have.
func (l *Listener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	return l.Dial(ctx)
}

// clientAddr is the address of every dialer.
var clientAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}

var errRefused = fmt.Errorf("nobody listens: %w", net.ErrClosed)

func (l *Listener) failed(op string, err error) error {
	return &net.OpError{Op: op, Net: "memory", Addr: l.addr, Err: err}
}
