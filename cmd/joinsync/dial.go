package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
)

// environment is what a test gives to a command beside flags.
type environment struct {
	dial  dial      // nil: over TCP
	stdin io.Reader // nil: the process's
}

// A dial opens a connection.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialTimeout is how long it may take to open a connection.
const dialTimeout = 10 * time.Second

// dial returns what opens connections as the flags say, with TLS and SASL done, for who writes requests itself. It is for flags
// that options has found to be right.
func (c *connection) dial(open dial) (dial, error) {
	if open == nil {
		open = new(net.Dialer).DialContext
	}
	config, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	mechanism, err := c.saslMechanism()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		plain, err := open(ctx, network, address)
		if err != nil {
			return nil, err
		}
		defer context.AfterFunc(ctx, func() { plain.Close() })()
		conn := plain
		if config != nil {
			named := config.Clone()
			named.ServerName = host
			conn = tls.Client(conn, named) // which shakes hands when it is used
		}
		if mechanism != nil {
			if err := authenticate(ctx, conn, host, mechanism); err != nil {
				conn.Close()
				return nil, err
			}
		}
		return conn, nil
	}, nil
}

// authenticate logs in.
func authenticate(ctx context.Context, conn net.Conn, host string, mechanism sasl.Mechanism) error {
	formatter := kmsg.NewRequestFormatter()
	handshake := kmsg.NewPtrSASLHandshakeRequest()
	handshake.SetVersion(1)
	handshake.Mechanism = mechanism.Name()
	resp, err := script.Exchange(conn, formatter, handshake)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if err := protocol.ErrorCode(resp.(*kmsg.SASLHandshakeResponse).ErrorCode).Err(); err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	session, message, err := mechanism.Authenticate(ctx, host)
	for done := false; err == nil && !done; {
		request := kmsg.NewPtrSASLAuthenticateRequest()
		request.SetVersion(1)
		request.SASLAuthBytes = message
		if resp, err = script.Exchange(conn, formatter, request); err != nil {
			break
		}
		answer := resp.(*kmsg.SASLAuthenticateResponse)
		if err = protocol.ErrorCode(answer.ErrorCode).Err(); err == nil {
			done, message, err = session.Challenge(answer.SASLAuthBytes)
		}
	}
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	return nil
}
