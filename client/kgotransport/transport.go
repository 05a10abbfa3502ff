package kgotransport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/joinsync/joinsync/protocol"
)

// New returns a transport whose sessions are made from opts: at least kgo.SeedBrokers, and whatever kgo offers for TLS,
// SASL, dialing, logging and hooks. Options that make kgo consume or join a group itself are an error. No connection is
// made before the first request.
//
// The client id is the member's; kgo.ClientID in opts is overridden.
func New(opts ...kgo.Opt) (protocol.Transport, error) {
	probe, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("kgo options: %w", err)
	}
	defer probe.Close()
	var wrong []error
	for _, o := range []struct {
		name   string
		option any
	}{
		{"ConsumerGroup", kgo.ConsumerGroup},
		{"ShareGroup", kgo.ShareGroup},
	} {
		if set, ok := probe.OptValue(o.option).(string); ok && set != "" {
			wrong = append(wrong, fmt.Errorf("kgo options: %s is %q: leave it out, the member joins the group itself", o.name, set))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	t := &transport{opts: slices.Clone(opts)}
	seeds, _ := probe.OptValue(kgo.SeedBrokers).([]string)
	t.bootstrap = "bootstrap " + strings.Join(seeds, ", ")
	mechanisms, _ := probe.OptValue(kgo.SASL).([]sasl.Mechanism)
	t.sasl = len(mechanisms) > 0
	dial, ok := probe.OptValue(kgo.Dialer).(func(context.Context, string, string) (net.Conn, error))
	if ok {
		// kgo has put its TLS, if any, into the dial function, and takes either that or a TLS configuration.
		t.opts = append(t.opts, kgo.DialTLSConfig(nil), kgo.Dialer(namingDialer(dial)))
	}
	return t, nil
}

type transport struct {
	opts      []kgo.Opt
	bootstrap string // for errors
	sasl      bool   // for errors
}

// Open implements protocol.Transport.
func (t *transport) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	cl, err := kgo.NewClient(append(slices.Clone(t.opts), kgo.ClientID(id.ClientID))...)
	if err != nil {
		return nil, fmt.Errorf("kgo client for client id %q: %w", id.ClientID, err)
	}
	return &session{
		cl:           cl,
		bootstrap:    t.bootstrap,
		sasl:         t.sasl,
		versions:     protocol.MemberVersions(),
		coordinators: make(map[string]coordinator),
	}, nil
}

// dialError is a connection that was not made, with the address that kgo's errors leave out.
type dialError struct {
	addr string
	err  error
}

func (d *dialError) Error() string { return "dial " + d.addr + ": " + d.err.Error() }
func (d *dialError) Unwrap() error { return d.err }

func namingDialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, &dialError{addr, err}
		}
		return conn, nil
	}
}
