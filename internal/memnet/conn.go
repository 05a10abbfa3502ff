package memnet

import (
	"net"
	"time"
)

// Pipe returns the two ends of a new connection, and gives each its address. Each direction holds up to 64 KiB.
func Pipe(first, second net.Addr) (net.Conn, net.Conn) {
	there, back := newStream(), newStream()
	return &conn{in: back, out: there, local: first, remote: second},
		&conn{in: there, out: back, local: second, remote: first}
}

// conn is one end of a connection.
type conn struct {
	in, out       *stream
	local, remote net.Addr
}

// Read returns what has arrived; io.EOF when the other end is closed and everything was read.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.failed("read", err)
}

// Write returns once everything is in the buffer.
func (c *conn) Write(b []byte) (int, error) {
	n, err := c.out.write(b)
	return n, c.failed("write", err)
}

// Close ends both directions. The other end reads what was written before.
func (c *conn) Close() error {
	c.in.closeReading()
	c.out.closeWriting()
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) SetDeadline(t time.Time) error {
	c.in.setReadDeadline(t)
	c.out.setWriteDeadline(t)
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setReadDeadline(t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setWriteDeadline(t)
	return nil
}
