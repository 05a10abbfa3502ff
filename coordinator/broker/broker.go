package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// A Broker serves clients. Its methods may be called concurrently.
type Broker struct {
	config       Config
	advertised   endpoint
	listener     net.Listener
	coordinator  *coordinator.Coordinator
	plane        *plane
	topics       *topicTable
	transactions *transactions
	batches      *batchChecker
	versions     protocol.Versions // what is served
	log          *zap.Logger       // bounded, for what clients are the cause of

	work    sync.WaitGroup // the goroutines that accept and serve
	closing chan struct{}  // closed: no more requests are taken
	conns   connSet

	planeCtx context.Context // ends before the data plane does
	cutPlane context.CancelFunc

	closeOnce sync.Once
	closeErr  error
}

// Listen starts a broker. ctx bounds the start only: loading groups from a store may take a while. Close it when it is
// no longer used. The error names every violation of the config, or what is wrong with the address.
func Listen(ctx context.Context, config Config) (*Broker, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Broker{config: config, log: bounded(config.Logger), closing: make(chan struct{})}
	b.planeCtx, b.cutPlane = context.WithCancel(context.Background())
	if err := b.start(ctx); err != nil {
		return nil, errors.Join(err, b.Close(context.WithoutCancel(ctx)))
	}
	b.work.Go(b.accept)
	return b, nil
}

// start makes the parts of a broker, in an order in which each finds what it needs. Close undoes it, however far it got.
func (b *Broker) start(ctx context.Context) (err error) {
	config := &b.config
	b.conns = newConnSet(config.MaxConnections, config.MaxConnectionsPerIP)
	b.batches = newBatchChecker(config.MaxMessageBytes, runtime.GOMAXPROCS(0))
	if b.listener = config.Listener; b.listener == nil {
		if b.listener, err = net.Listen("tcp", config.Addr); err != nil {
			return fmt.Errorf("broker: %w: choose an address with Addr that this machine has and nobody else listens on", err)
		}
	}
	if b.advertised, err = config.advertised(b.listener.Addr()); err != nil {
		return err
	}
	if b.plane, err = newPlane(config, b.advertised); err != nil {
		return err
	}
	b.topics = newTopicTable(b.plane.cluster, config)
	for _, name := range slices.Sorted(maps.Keys(config.Topics)) {
		if err := b.CreateTopic(ctx, name, config.Topics[name]); err != nil {
			return err
		}
	}
	b.transactions = newTransactions(b.planeCtx, b.plane, config)
	config.Coordinator.Topics, config.Coordinator.Transactions = b.topics, b.transactions
	if b.coordinator, err = coordinator.New(ctx, config.Coordinator); err != nil {
		return err
	}
	b.transactions.groups = b.coordinator
	if err := b.transactions.recover(ctx); err != nil {
		return fmt.Errorf("broker: abort what was left of transactions: %w", err)
	}
	planeVersions, err := b.plane.versions(ctx)
	if err != nil {
		return fmt.Errorf("broker: ask the data plane what it serves: %w", err)
	}
	b.versions = servedVersions(b.coordinator.Versions(), planeVersions)
	if config.TLS != nil {
		b.listener = tls.NewListener(b.listener, config.TLS)
	}
	return nil
}

// Addr returns the address that is listened on.
func (b *Broker) Addr() net.Addr { return b.listener.Addr() }

// Advertised returns the host and port that clients are told.
func (b *Broker) Advertised() string { return b.advertised.String() }

// Coordinator returns the coordinator of the broker's groups, for members in the same process.
func (b *Broker) Coordinator() *coordinator.Coordinator { return b.coordinator }

// CreateTopic makes a topic. Zero partitions are Config.DefaultPartitions. The error wraps Kafka's code.
func (b *Broker) CreateTopic(ctx context.Context, name string, partitions int32) error {
	release, err := b.topics.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if b.closed() {
		return fmt.Errorf("topic %q: %w", name, net.ErrClosed)
	}
	if err := b.topics.create(name, partitions); err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	return nil
}

// Close stops listening, answers parked requests NOT_COORDINATOR, so that members look for another coordinator, and
// closes each connection after its present answer. When ctx ends it closes those that are left at once, which is no
// error. It returns when nothing of the broker runs any more, and may be called again.
func (b *Broker) Close(ctx context.Context) error {
	b.closeOnce.Do(func() {
		close(b.closing)
		var errs []error
		if b.listener != nil {
			errs = append(errs, b.listener.Close())
		}
		if b.coordinator != nil {
			errs = append(errs, b.coordinator.Close())
		}
		b.cutPlane() // a Fetch may wait for as long as its client likes
		b.conns.each((*conn).stopReading)
		b.closeErr = errors.Join(errs...)
	})
	stop := context.AfterFunc(ctx, func() { b.conns.each((*conn).close) })
	b.work.Wait()
	stop()
	if b.transactions != nil {
		b.transactions.close()
	}
	if b.topics != nil {
		release, err := b.topics.take(context.Background()) // whoever makes a topic now needs kfake until it is made
		if err != nil {
			return err
		}
		defer release()
	}
	if b.plane != nil {
		b.plane.close()
	}
	return b.closeErr
}

func (b *Broker) closed() bool {
	select {
	case <-b.closing:
		return true
	default:
		return false
	}
}

// maxLines is how many lines of a kind are logged in a second: no client can fill the disk by what it does wrong.
const maxLines = 100

// bounded drops what is more, but for one line of a thousand, which shows that it goes on.
func bounded(logger *zap.Logger) *zap.Logger {
	return logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, time.Second, maxLines, 1000)
	}))
}

// accept takes connections until the broker is closed. A machine that is out of file descriptors gets them back: then
// it goes on after a pause.
func (b *Broker) accept() {
	pause := time.Duration(0)
	for {
		conn, err := b.listener.Accept()
		switch {
		case b.closed():
			if err == nil {
				conn.Close()
			}
			return
		case err == nil:
			pause = 0
			b.admit(conn)
			continue
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		b.log.Warn("a connection could not be accepted", zap.Error(err), zap.Duration("pause", pause))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-b.closing:
			timer.Stop()
		}
	}
}

// admit serves a connection, if there may be one more.
func (b *Broker) admit(nc net.Conn) {
	c := newConn(b, nc)
	if err := b.conns.add(c); err != nil {
		c.log().Info("refused a connection", zap.Error(err))
		nc.Close()
		return
	}
	b.work.Go(func() {
		defer b.conns.remove(c)
		c.serve()
	})
}
