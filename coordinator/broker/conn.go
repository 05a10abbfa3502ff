package broker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// A conn is one client's connection. A goroutine of its own reads frames, at most one ahead of the one that is being
// answered, and so notices when the client goes away while it waits. Everything else belongs to the goroutine of serve.
type conn struct {
	broker *Broker
	net    net.Conn
	log    *zap.Logger

	ctx  context.Context // ends when there is nobody left to answer
	gone context.CancelFunc

	born   time.Time
	active atomic.Int64 // when a byte was last read or written, in nanoseconds since born
	idle   *time.Timer

	peer   coordinator.Peer
	link   *link       // to the data plane; nil before its first request
	unlink func() bool // lets go of the link's part in the broker's closing
	out    []byte      // memory for answers
}

func newConn(b *Broker, nc net.Conn) *conn {
	c := &conn{broker: b, net: nc, born: time.Now(), peer: coordinator.Peer{Host: javaHost(nc.RemoteAddr())}}
	c.ctx, c.gone = context.WithCancel(context.Background())
	c.log = b.log.With(zap.Stringer("peer", nc.RemoteAddr()))
	return c
}

// close ends the connection, from any goroutine.
func (c *conn) close() {
	c.gone()
	c.net.Close()
}

// serve answers requests until the connection or the broker is closed.
func (c *conn) serve() {
	defer c.closeLink()
	defer c.close()
	if idle := c.broker.config.IdleTimeout; idle > 0 {
		c.idle = time.AfterFunc(math.MaxInt64, c.checkIdle) // which uses the timer, and so must not run before it is set
		c.idle.Reset(idle)
		defer c.idle.Stop()
	}
	frames := make(chan request)
	c.broker.work.Go(func() { c.read(frames) })
	for {
		select {
		case <-c.broker.closing:
			return
		case <-c.ctx.Done():
			return
		case r := <-frames:
			if r.err == nil {
				r.err = c.answer(r.frame)
			}
			switch {
			case r.err == nil:
				continue
			case errors.Is(r.err, errSilent):
				c.ignore(frames)
			default:
				c.explain(r.err)
			}
			return
		}
	}
}

// A request is a frame without its length, or what was read instead.
type request struct {
	frame []byte
	err   error
}

// read hands over one frame after the other, until the client is gone or announces a frame that is too large. In the
// second case it may still wait for the answer to its last request.
func (c *conn) read(frames chan<- request) {
	reader := bufio.NewReader(activity{c})
	for {
		var r request
		r.frame, r.err = protocol.ReadFrame(reader, c.broker.config.MaxRequestBytes)
		var size *protocol.FrameSizeError
		if r.err != nil && !errors.As(r.err, &size) {
			c.gone()
			return
		}
		select {
		case frames <- r:
		case <-c.ctx.Done():
			return
		}
		if r.err != nil {
			return
		}
	}
}

// errSilent says that a request gets no answer, and none that follows it does.
var errSilent = errors.New("a request that gets no answer")

// ignore reads on without answering, until the client closes the connection, which it does when it has waited for too
// long.
func (c *conn) ignore(frames <-chan request) {
	for {
		select {
		case <-frames:
		case <-c.ctx.Done():
			return
		case <-c.broker.closing:
			return
		}
	}
}

// explain says in the log why the connection ends.
func (c *conn) explain(err error) {
	if c.ctx.Err() != nil || c.broker.closed() {
		c.log.Debug("a connection ended", zap.Error(err))
		return
	}
	c.log.Info("closed a connection", zap.String("client", c.peer.ClientID), zap.Error(err))
}

// answer answers one request.
func (c *conn) answer(frame []byte) error {
	header, body, err := protocol.ReadRequestHeader(frame)
	if err != nil {
		return err
	}
	if c.peer.ClientID != header.ClientID {
		c.peer.ClientID = strings.Clone(header.ClientID)
	}
	answer, err := c.handle(frame, header, body)
	if err != nil {
		return err
	}
	return c.write(answer)
}

// maxKept is how much memory for answers a connection keeps between requests.
const maxKept = 64 << 10

// write sends an answer in pieces, so that a client that reads slowly, but reads, does not count as idle.
func (c *conn) write(answer []byte) error {
	for len(answer) > 0 {
		n, err := activity{c}.Write(answer[:min(len(answer), maxKept)])
		if err != nil {
			return err
		}
		answer = answer[n:]
	}
	return nil
}

// activity notes when the connection was last used.
type activity struct{ *conn }

// Read implements io.Reader.
func (a activity) Read(b []byte) (int, error) {
	n, err := a.net.Read(b)
	a.active.Store(int64(time.Since(a.born)))
	return n, err
}

// Write implements io.Writer.
func (a activity) Write(b []byte) (int, error) {
	n, err := a.net.Write(b)
	a.active.Store(int64(time.Since(a.born)))
	return n, err
}

// checkIdle closes the connection if nothing has happened on it for as long as it may; if something has, it comes again
// when that is so long ago.
func (c *conn) checkIdle() {
	limit := c.broker.config.IdleTimeout
	quiet := time.Since(c.born) - time.Duration(c.active.Load())
	if quiet < limit {
		c.idle.Reset(limit - quiet)
		return
	}
	c.log.Info("closed a connection", zap.Error(fmt.Errorf("nothing was sent or received for %v (connections.max.idle.ms)", limit)))
	c.close()
}
