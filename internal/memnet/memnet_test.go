package memnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

var addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092}

func TestAWriterRunsAheadUntilTheBufferIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(clientAddr, addr)
		defer b.Close()
		if n, err := a.Write(make([]byte, capacity)); n != capacity || err != nil {
			t.Fatal(n, err)
		}
		written := false
		go func() {
			if n, err := a.Write([]byte("xyz")); n != 3 || err != nil {
				t.Error(n, err)
			}
			written = true
			a.Close()
		}()
		synctest.Wait()
		if written {
			t.Error("more fits into the buffer than it holds")
		}
		all, err := io.ReadAll(b)
		if err != nil || len(all) != capacity+3 || !bytes.HasSuffix(all, []byte("xyz")) {
			t.Error(len(all), err)
		}
	})
}

func TestBytesArriveInOrderWhateverTheSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(clientAddr, addr)
		random := rand.New(rand.NewPCG(1, 2))
		sent := make([]byte, 1<<20)
		for i := range sent {
			sent[i] = byte(random.Uint32())
		}
		sizes := rand.New(rand.NewPCG(3, 4))
		go func() {
			defer a.Close()
			for rest := sent; len(rest) > 0; {
				n := min(len(rest), sizes.IntN(3*capacity/2))
				if _, err := a.Write(rest[:n]); err != nil {
					t.Error(err)
					return
				}
				rest = rest[n:]
			}
		}()
		var received []byte
		for part := make([]byte, capacity); ; {
			n, err := b.Read(part[:1+random.IntN(len(part)-1)])
			received = append(received, part[:n]...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(received, sent) {
			t.Errorf("%d bytes sent, %d others received", len(sent), len(received))
		}
	})
}

func TestClosingAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(clientAddr, addr)
		waiting := make(chan error, 1)
		go func() {
			_, err := b.Read(make([]byte, 1))
			waiting <- err
		}()
		synctest.Wait()
		a.Close()
		if err := <-waiting; !errors.Is(err, io.EOF) {
			t.Errorf("the other end reads %v", err)
		}
		if _, err := b.Write([]byte("x")); err == nil {
			t.Error("the other end writes to nobody")
		}
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed end reads %v", err)
		}
		if _, err := a.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed end writes: %v", err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(clientAddr, addr)
		defer a.Close()
		defer b.Close()
		start := time.Now()
		a.SetReadDeadline(start.Add(time.Second))
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		a.SetReadDeadline(time.Time{})
		b.Write([]byte("x"))
		if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("after the deadline was lifted: %d, %v", n, err)
		}
		a.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := a.Write(make([]byte, capacity+1))
		var timeout net.Error
		if n != capacity || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("a full buffer: %d, %v", n, err)
		}
		a.SetDeadline(time.Now().Add(-time.Second))
		if _, err := a.Write(nil); err == nil {
			t.Error("a deadline in the past lets a write pass")
		}
	})
}

func TestAListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Listen(addr)
		if l.Addr() != addr {
			t.Error(l.Addr())
		}
		client, err := l.DialContext(t.Context(), "tcp", "anywhere:1")
		if err != nil {
			t.Fatal(err)
		}
		client.Write([]byte("hello")) // before anybody accepts
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if server.RemoteAddr() != clientAddr || client.RemoteAddr() != addr || server.LocalAddr() != addr {
			t.Error(server.RemoteAddr(), client.RemoteAddr())
		}
		if n, err := server.Read(make([]byte, 9)); n != 5 || err != nil {
			t.Error(n, err)
		}
		for range backlog {
			if _, err := l.Dial(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Dial(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one more than the backlog: %v", err)
		}
		l.Close()
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if _, err := l.Dial(t.Context()); err == nil {
			t.Error("a closed listener is dialed")
		}
		l.Close()
	})
}

func TestAConnectionThatNobodyAcceptedEndsWithItsListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Listen(addr)
		client, err := l.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}
