package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// Coordinator coordinates any number of groups. Its methods may be called concurrently.
type Coordinator struct {
	config     Config
	partitions []*partition
	versions   protocol.Versions

	closing   chan struct{}
	cancel    context.CancelFunc
	closeOnce sync.Once
	closeErr  error
}

// New returns a coordinator that has loaded the groups of its store. ctx bounds the loading only. Close it when it is
// no longer used. The error names every violation of the config, or the partition that could not be loaded.
func New(ctx context.Context, config Config) (*Coordinator, error) {
	config, err := config.WithDefaults()
	if err != nil {
		return nil, err
	}
	background, cancel := context.WithCancel(context.Background())
	c := &Coordinator{config: config, versions: servedVersions(), closing: make(chan struct{}), cancel: cancel}
	groupConfig := config.groupConfig()
	clock := startClock()
	for index := range config.Partitions {
		p := newPartition(background, clock, &c.config, &groupConfig, index)
		c.partitions = append(c.partitions, p)
		if err := p.load(ctx); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	go c.sweep()
	return c, nil
}

// Close gives up every partition: parked requests are answered NOT_COORDINATOR, later ones ErrClosed. It does not wait
// for callers to take note. It may be called again.
func (c *Coordinator) Close() error {
	c.closeOnce.Do(func() {
		c.cancel()
		var errs []error
		for _, p := range c.partitions {
			done := make(chan error, 1)
			p.do(taskFunc(func() { done <- p.close() }))
			errs = append(errs, <-done)
		}
		close(c.closing)
		c.closeErr = errors.Join(errs...)
	})
	return c.closeErr
}

// taskFunc is a task made of a function.
type taskFunc func()

func (f taskFunc) run() { f() }

// Peer is who sends a request, as facts of its connection.
type Peer struct {
	// ClientID goes into member ids (G-017) and descriptions.
	ClientID string

	// Host is the peer's address as Java writes it, with a leading slash (G-009).
	Host string

	gone <-chan struct{} // closed when the peer does not wait for answers any more; nil: never
}

// Handle answers one request of the version that it carries, and waits for the answer: a JoinGroup may wait for a whole
// rebalance. The coordinator owns the request from then on. The error is ErrSuperseded, ErrClosed, that of ctx, or says
// that the API or its version is not served; errors of Kafka's protocol are in the response.
func (c *Coordinator) Handle(ctx context.Context, peer Peer, req kmsg.Request) (kmsg.Response, error) {
	select {
	case <-c.closing:
		return nil, ErrClosed
	default:
	}
	served, ok := c.versions[req.Key()]
	if !ok || !served.Contains(req.GetVersion()) {
		return nil, fmt.Errorf("coordinator: version %d of %s is not served: send one of %v",
			req.GetVersion(), kmsg.NameForKey(req.Key()), served)
	}
	switch req := req.(type) {
	case *kmsg.HeartbeatRequest:
		return c.heartbeat(ctx, peer, req)
	case *kmsg.JoinGroupRequest:
		return c.join(ctx, peer, req)
	case *kmsg.SyncGroupRequest:
		return c.sync(ctx, peer, req)
	case *kmsg.LeaveGroupRequest:
		return c.leave(ctx, peer, req)
	case *kmsg.OffsetCommitRequest:
		return c.commit(ctx, peer, req)
	case *kmsg.OffsetFetchRequest:
		return c.fetch(ctx, peer, req)
	case *kmsg.DescribeGroupsRequest:
		return c.describe(ctx, peer, req)
	case *kmsg.ListGroupsRequest:
		return c.list(ctx, peer, req)
	case *kmsg.TxnOffsetCommitRequest:
		return c.commitInTransaction(ctx, peer, req)
	case *kmsg.OffsetDeleteRequest:
		return c.deleteOffsets(ctx, peer, req)
	case *kmsg.DeleteGroupsRequest:
		return c.deleteGroups(ctx, peer, req)
	case *kmsg.MetadataRequest:
		return c.metadata(req), nil
	}
	return nil, fmt.Errorf("coordinator: %s is not served", kmsg.NameForKey(req.Key()))
}

// servedVersions are those of the APIs in Handle's switch: clients believe what is advertised, and take to another API
// what is not.
func servedVersions() protocol.Versions {
	all := protocol.CoordinatorVersions()
	served := protocol.Versions{int16(kmsg.Metadata): {Min: 0, Max: 13}}
	for _, key := range []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.LeaveGroup, kmsg.OffsetCommit,
		kmsg.OffsetFetch, kmsg.DescribeGroups, kmsg.ListGroups, kmsg.TxnOffsetCommit, kmsg.OffsetDelete, kmsg.DeleteGroups} {
		served[key.Int16()] = all[key.Int16()]
	}
	return served
}

// Versions returns the APIs that Handle serves, each with its versions.
func (c *Coordinator) Versions() protocol.Versions { return maps.Clone(c.versions) }

// errorOf turns a code of the core into one of the wire: they are the same numbers.
func errorOf(e group.Error) protocol.ErrorCode { return protocol.ErrorCode(e) }
