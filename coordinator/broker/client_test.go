package broker_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

// A world is a broker on a network of its own.
type world struct {
	t      testing.TB
	net    *memnet.Listener
	broker *broker.Broker
	logs   *observer.ObservedLogs // from level info
}

// start starts a broker without an initial delay; it is closed at the end of the test.
func start(t testing.TB, config broker.Config) *world {
	t.Helper()
	w := &world{t: t, net: memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})}
	core, logs := observer.New(zapcore.InfoLevel)
	w.logs = logs
	config.Listener, config.Logger = w.net, zap.New(core)
	if config.Coordinator.InitialRebalanceDelay == 0 {
		config.Coordinator.InitialRebalanceDelay = -1
	}
	var err error
	if w.broker, err = broker.Listen(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.broker.Close(ended()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// ended returns a context that has ended: a broker that is closed with it waits for nobody.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A client is a connection by hand.
type client struct {
	t    testing.TB
	conn net.Conn
	id   string
}

func (w *world) dial(clientID string) *client {
	w.t.Helper()
	conn, err := w.net.Dial(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return &client{t: w.t, conn: conn, id: clientID}
}

// frame returns a request as it is sent, with its length.
func (c *client) frame(correlation int32, req kmsg.Request) []byte {
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID(c.id)).AppendRequest(nil, req, correlation)
}

func (c *client) send(correlation int32, req kmsg.Request) {
	c.t.Helper()
	c.write(c.frame(correlation, req))
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// receive reads the answer to a request.
func receive[R kmsg.Response](c *client, correlation int32, req kmsg.Request) R {
	c.t.Helper()
	frame, err := protocol.ReadFrame(c.conn, 1<<30)
	if err != nil {
		c.t.Fatalf("%s: %v", protocol.APIName(req.Key()), err)
	}
	resp := req.ResponseKind()
	got, err := protocol.ReadResponse(frame, resp)
	if err != nil {
		c.t.Fatal(err)
	}
	if got != correlation {
		c.t.Fatalf("the answer to %s has correlation id %d, want %d", protocol.APIName(req.Key()), got, correlation)
	}
	return resp.(R)
}

// ask sends a request in the highest version that the broker has, unless it has one already, and reads the answer.
func ask[R kmsg.Response](c *client, req kmsg.Request) R {
	c.t.Helper()
	c.send(7, req)
	return receive[R](c, 7, req)
}

// wantClosed checks that the broker closes the connection, without an answer.
func (c *client) wantClosed() {
	c.t.Helper()
	c.conn.SetReadDeadline(time.Now().Add(time.Hour))
	if rest, err := io.ReadAll(c.conn); len(rest) > 0 || err != nil {
		c.t.Errorf("the connection is not closed: %d bytes are read, then %v", len(rest), err)
	}
}

// wantSilence checks that nothing comes and the connection stays open.
func (c *client) wantSilence(how time.Duration) {
	c.t.Helper()
	c.conn.SetReadDeadline(time.Now().Add(how))
	defer c.conn.SetReadDeadline(time.Time{})
	var timeout net.Error
	if n, err := c.conn.Read(make([]byte, 1)); n > 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
		c.t.Errorf("silence is expected: %d bytes, %v", n, err)
	}
}

// wantLog checks that there is a line that tells of an error with these words.
func (w *world) wantLog(words string) {
	w.t.Helper()
	for _, entry := range w.logs.All() {
		if text, ok := entry.ContextMap()["error"].(string); ok && strings.Contains(text, words) {
			return
		}
	}
	w.t.Errorf("no line in the log tells of %q: %v", words, w.logs.All())
}

func heartbeat(group string) *kmsg.HeartbeatRequest {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Version, req.Group, req.MemberID = 4, group, "nobody"
	return req
}

// wantAlive checks that a client is served.
func (c *client) wantAlive() {
	c.t.Helper()
	if resp := ask[*kmsg.HeartbeatResponse](c, heartbeat("g")); resp.ErrorCode != int16(protocol.UnknownMemberID) {
		c.t.Errorf("heartbeat: %v", protocol.ErrorCode(resp.ErrorCode))
	}
}

func join(group, member string) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version = 9
	req.Group, req.MemberID, req.ProtocolType = group, member, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 10_000, 60_000
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = "range", []byte("topics")
	req.Protocols = append(req.Protocols, p)
	return req
}

// joined joins as the only member.
func (c *client) joined(group string) *kmsg.JoinGroupResponse {
	c.t.Helper()
	first := ask[*kmsg.JoinGroupResponse](c, join(group, ""))
	resp := ask[*kmsg.JoinGroupResponse](c, join(group, first.MemberID))
	if resp.ErrorCode != 0 {
		c.t.Fatalf("join: %v", protocol.ErrorCode(resp.ErrorCode))
	}
	return resp
}

// stable joins as the only member, takes its assignment, and returns its heartbeat.
func (c *client) stable(group string) *kmsg.HeartbeatRequest {
	c.t.Helper()
	joined := c.joined(group)
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Version, sync.Group, sync.MemberID, sync.Generation = 3, group, joined.MemberID, joined.Generation
	if code := ask[*kmsg.SyncGroupResponse](c, sync).ErrorCode; code != 0 {
		c.t.Fatalf("sync: %v", protocol.ErrorCode(code))
	}
	beat := heartbeat(group)
	beat.MemberID, beat.Generation = joined.MemberID, joined.Generation
	return beat
}
