package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// capacity is how many bytes a direction holds before its writer has to wait.
const capacity = 64 << 10

// A stream is one direction of a connection: a writer on one end and a reader on the other.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond // that someone who waits may have something to do

	buffer []byte
	start  int // of what is unread in buffer

	noMore    bool // the writing end is closed
	abandoned bool // the reading end is closed

	readBy, writeBy deadline
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

func (s *stream) read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.abandoned:
			return 0, net.ErrClosed
		case s.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case s.unread() > 0:
			n := s.take(b)
			s.changed.Broadcast()
			return n, nil
		case s.noMore:
			return 0, io.EOF
		}
		s.changed.Wait()
	}
}

func (s *stream) write(b []byte) (written int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.noMore:
			return written, net.ErrClosed
		case s.abandoned:
			return written, syscall.EPIPE
		case s.writeBy.passed:
			return written, os.ErrDeadlineExceeded
		case len(b) == 0:
			return written, nil
		}
		if n := min(len(b), capacity-s.unread()); n > 0 {
			s.append(b[:n])
			b, written = b[n:], written+n
			s.changed.Broadcast()
			continue
		}
		s.changed.Wait()
	}
}

// unread returns how many bytes wait for the reader.
func (s *stream) unread() int { return len(s.buffer) - s.start }

// append adds bytes for which there is room. It moves what is unread to the front before it grows the buffer.
func (s *stream) append(b []byte) {
	if s.start > 0 && len(s.buffer)+len(b) > cap(s.buffer) {
		s.buffer = s.buffer[:copy(s.buffer, s.buffer[s.start:])]
		s.start = 0
	}
	s.buffer = append(s.buffer, b...)
}

// take moves bytes into b and returns how many.
func (s *stream) take(b []byte) int {
	n := copy(b, s.buffer[s.start:])
	if s.start += n; s.start == len(s.buffer) {
		s.buffer, s.start = s.buffer[:0], 0
	}
	return n
}

func (s *stream) closeReading() {
	s.change(func() {
		s.abandoned = true
		s.buffer, s.start = nil, 0
		s.readBy.stop()
	})
}

func (s *stream) closeWriting() {
	s.change(func() {
		s.noMore = true
		s.writeBy.stop()
	})
}

func (s *stream) setReadDeadline(t time.Time)  { s.change(func() { s.readBy.set(s, t) }) }
func (s *stream) setWriteDeadline(t time.Time) { s.change(func() { s.writeBy.set(s, t) }) }

// change changes what those who wait look at, and wakes them.
func (s *stream) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changed.Broadcast()
}

// A deadline ends waiting. Its stream's lock guards it.
type deadline struct {
	passed bool
	timer  *time.Timer
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

// set replaces the deadline; the zero time is none.
func (d *deadline) set(s *stream, t time.Time) {
	d.stop()
	d.passed = false
	if t.IsZero() {
		return
	}
	left := time.Until(t)
	if left <= 0 {
		d.passed = true
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(left, func() {
		s.change(func() {
			if d.timer == timer { // it was not replaced while this waited for the lock
				d.passed = true
			}
		})
	})
	d.timer = timer
}

// failed gives an error the form that callers know from real connections. The end of a stream is no error of that kind.
func (c *conn) failed(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: "memory", Source: c.local, Addr: c.remote, Err: err}
}
