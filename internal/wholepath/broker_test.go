package wholepath_test

import (
	"context"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

// brokerAddr is where every broker is, one after the other.
var brokerAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092}

// startBroker starts a broker on a listener in memory, with the party's coordinator in it.
func (p *party) startBroker() error {
	listener := memnet.Listen(brokerAddr)
	groups := p.coordinator
	groups.Topics = nil
	b, err := broker.Listen(context.Background(), broker.Config{
		Listener: listener, Topics: map[string]int32{topic: p.partitions}, Coordinator: groups,
	})
	if err != nil {
		return err
	}
	p.network.lead(b.Coordinator(), listener)
	p.shut = func() error {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		return b.Close(now)
	}
	return nil
}

// openKafka opens a session over franz-go's client, on connections that have the link's faults.
func (l *link) openKafka(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	transport, err := kgotransport.New(kgo.SeedBrokers(brokerAddr.String()), kgo.Dialer(l.dial))
	if err != nil {
		return nil, err
	}
	inner, err := transport.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &watched{inner, l.network.ledger}, nil
}

// watched shows the ledger what is answered.
type watched struct {
	protocol.Session
	ledger *ledger
}

// Request implements protocol.Session.
func (s *watched) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	latest := s.ledger.generation()
	resp, err := s.Session.Request(ctx, req)
	if err == nil {
		s.ledger.answered(latest, req, resp)
	}
	return resp, err
}

func (l *link) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	line := l.now()
	if line.Err() != nil {
		return nil, &net.OpError{Op: "dial", Err: errBroken}
	}
	conn, err := l.network.listening().Dial(ctx)
	if err != nil {
		return nil, err
	}
	return &conduit{Conn: conn, network: l.network, line: line}, nil
}

// conduit is a connection that is slow, breaks, or falls silent with its line.
type conduit struct {
	net.Conn
	network *network
	line    context.Context
}

// Write sends b, or loses it without a word on a line that was cut.
func (c *conduit) Write(b []byte) (int, error) {
	if delay := c.network.delay(); delay > 0 {
		sleep(c.line, delay)
	}
	switch {
	case c.line.Err() != nil:
		return len(b), nil
	case c.network.broken():
		return 0, c.snap()
	}
	return c.Conn.Write(b)
}

// Read returns what arrives; nothing does on a line that was cut.
func (c *conduit) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		switch {
		case err != nil:
			return n, err
		case c.network.broken():
			return 0, c.snap()
		case c.line.Err() == nil:
			return n, nil
		}
	}
}

func (c *conduit) snap() error {
	_ = c.Close()
	return &net.OpError{Op: "read", Err: errBroken}
}
