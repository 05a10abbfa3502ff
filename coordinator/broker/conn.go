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

// A conn is one client's connection. One goroutine serves it: it reads a request, answers it, and reads the next. While a
// request is answered that may wait for others, a second one reads ahead, a single frame, and so notices when the client
// goes away.
type conn struct {
	broker *Broker
	net    net.Conn

	ctx  context.Context // ends when there is nobody left to answer
	gone context.CancelFunc

	born   time.Time
	active atomic.Int64 // when a byte was last read or written, in nanoseconds since born
	idle   *time.Timer

	reader *bufio.Reader // belongs to whoever reads at the moment
	ahead  chan request  // brings what was read ahead

	// What follows belongs to the goroutine that serves.
	reading bool // someone reads ahead
	peer    coordinator.Peer
	link    *link       // to the data plane; nil before its first request
	unlink  func() bool // lets go of the link's part in the broker's closing
	out     []byte      // memory for answers
}

// readBuffer is enough for most requests; the rest of a larger one is read to where it stays.
const readBuffer = 1 << 10

func newConn(b *Broker, nc net.Conn) *conn {
	c := &conn{broker: b, net: nc, born: time.Now(), peer: coordinator.Peer{Host: javaHost(nc.RemoteAddr())}, ahead: make(chan request, 1)}
	c.ctx, c.gone = context.WithCancel(context.Background())
	c.reader = bufio.NewReaderSize(activity{c}, readBuffer)
	return c
}

// close ends the connection, from any goroutine.
func (c *conn) close() {
	c.gone()
	c.net.Close()
}

// stopReading makes the connection end once its present request is answered, from any goroutine.
func (c *conn) stopReading() { c.net.SetReadDeadline(time.Unix(1, 0)) }

// serve answers requests until the connection or the broker is closed.
func (c *conn) serve() {
	defer c.closeLink()
	defer c.close()
	if idle := c.broker.config.IdleTimeout; idle > 0 {
		c.idle = time.AfterFunc(math.MaxInt64, c.checkIdle) // which uses the timer, and so must not run before it is set
		c.idle.Reset(idle)
		defer c.idle.Stop()
	}
	for !c.broker.closed() {
		r := c.next()
		if r.err == nil {
			r.err = c.answer(r.frame)
		}
		if errors.Is(r.err, errSilent) {
			r = c.ignore()
		}
		if r.err != nil {
			c.explain(r.err)
			return
		}
	}
}

// A request is a frame without its length, or what was read instead.
type request struct {
	frame []byte
	err   error
}

// next returns the next request.
func (c *conn) next() request {
	if c.reading {
		c.reading = false
		return <-c.ahead
	}
	return c.read()
}

// read reads one frame. The end of the stream is also the end of waiting, if anybody waits; but a client that announces a
// frame that is too large may still be there for the answer to its last request, and so it is when we stop reading.
func (c *conn) read() request {
	frame, err := protocol.ReadFrame(c.reader, c.broker.config.MaxRequestBytes)
	var size *protocol.FrameSizeError
	if err != nil && !errors.As(err, &size) && !c.broker.closed() {
		c.gone()
	}
	return request{frame, err}
}

// readAhead reads the next request while this one is answered.
func (c *conn) readAhead() {
	if c.reading {
		return
	}
	c.reading = true
	c.broker.work.Go(func() { c.ahead <- c.read() })
}

// errSilent says that a request gets no answer, and none that follows it does.
var errSilent = errors.New("a request that gets no answer")

// ignore reads on without answering, until the client closes the connection, which it does when it has waited for too
// long.
func (c *conn) ignore() request {
	for {
		if r := c.next(); r.err != nil {
			return r
		}
	}
}

// log returns a logger of this connection. Most have nothing to say.
func (c *conn) log() *zap.Logger { return c.broker.log.With(zap.Stringer("peer", c.net.RemoteAddr())) }

// explain says in the log why the connection ends.
func (c *conn) explain(err error) {
	if c.ctx.Err() != nil || c.broker.closed() {
		c.log().Debug("a connection ended", zap.Error(err))
		return
	}
	c.log().Info("closed a connection", zap.String("client", c.peer.ClientID), zap.Error(err))
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
	c.log().Info("closed a connection", zap.Error(fmt.Errorf("nothing was sent or received for %v (connections.max.idle.ms)", limit)))
	c.close()
}
