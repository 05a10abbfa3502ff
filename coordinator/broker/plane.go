package broker

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

// A plane is the data plane: a kfake of one broker that nobody reaches but through links.
type plane struct {
	cluster  *kfake.Cluster
	listener *memnet.Listener
}

// newPlane starts the data plane. Its listener has the address at which clients reach us, and so kfake's answers lead
// them here.
func newPlane(config *Config, advertised endpoint) (*plane, error) {
	p := &plane{listener: memnet.Listen(advertised)}
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.ListenFn(func(string, string) (net.Listener, error) { return p.listener, nil }),
		kfake.ClusterID(config.ClusterID),
		kfake.DefaultNumPartitions(int(config.DefaultPartitions)),
		kfake.BrokerConfigs(map[string]string{"message.max.bytes": strconv.Itoa(config.MaxMessageBytes)}),
		kfake.WithLogger(planeLogger{config.Logger}),
	)
	if err != nil {
		return nil, fmt.Errorf("broker: start the data plane: %w", err)
	}
	p.cluster = cluster
	return p, nil
}

// close ends the data plane. Nothing may ask kfake anything from then on: it would wait for ever.
func (p *plane) close() { p.cluster.Close() }

// versions asks kfake what it serves.
func (p *plane) versions(ctx context.Context) (protocol.Versions, error) {
	resp, err := ask[*kmsg.ApiVersionsResponse](ctx, p, kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		return nil, err
	}
	return protocol.VersionsOf(resp), nil
}

// ask asks kfake something of our own, in the version that the request carries.
func ask[R kmsg.Response](ctx context.Context, p *plane, req kmsg.Request) (R, error) {
	resp := req.ResponseKind().(R)
	answer, err := p.once(ctx, kmsg.NewRequestFormatter().AppendRequest(nil, req, 0)[4:])
	if err == nil {
		_, err = protocol.ReadResponse(answer[4:], resp)
	}
	return resp, err
}

// once passes on one frame, over a link for nothing else, and returns the answer with its length.
func (p *plane) once(ctx context.Context, frame []byte) ([]byte, error) {
	l, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	return l.exchange(frame, true)
}

// A link is one connection to the data plane. One goroutine uses it; any may close it.
type link struct {
	conn   net.Conn
	reader *bufio.Reader
}

func (p *plane) open(ctx context.Context) (*link, error) {
	conn, err := p.listener.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return &link{conn: conn, reader: bufio.NewReader(conn)}, nil
}

func (l *link) close() { l.conn.Close() }

// errPlaneClosed says that kfake has closed a link, which it does with requests that it does not understand.
var errPlaneClosed = errors.New("the data plane has closed the connection")

// exchange passes on a frame, without its length, and returns the answer with its length; nothing if none comes.
func (l *link) exchange(frame []byte, answered bool) ([]byte, error) {
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(frame)))
	if _, err := l.conn.Write(length[:]); err != nil {
		return nil, errPlaneClosed
	}
	if _, err := l.conn.Write(frame); err != nil {
		return nil, errPlaneClosed
	}
	if !answered {
		return nil, nil
	}
	if _, err := io.ReadFull(l.reader, length[:]); err != nil {
		return nil, errPlaneClosed
	}
	answer := make([]byte, 4+binary.BigEndian.Uint32(length[:]))
	copy(answer, length[:])
	if _, err := io.ReadFull(l.reader, answer[4:]); err != nil {
		return nil, errPlaneClosed
	}
	return answer, nil
}

// planeLogger passes on what kfake logs. None of it is news: what goes wrong shows in answers.
type planeLogger struct{ logger *zap.Logger }

// Logf implements kfake.Logger.
func (l planeLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if ce := l.logger.Check(zap.DebugLevel, "data plane"); ce != nil {
		ce.Write(zap.Stringer("level", level), zap.String("text", fmt.Sprintf(format, args...)))
	}
}
