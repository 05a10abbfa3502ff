package conform

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
)

// Config says which broker, and how to ask it. The zero value of a field is its default.
type Config struct {
	// Addr is host:port. It is required.
	Addr string

	// Dial connects to it, and does what comes before Kafka's requests: TLS, SASL. nil: over TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Like is the Kafka whose answers are expected, script.Kafka440 or script.Kafka392. Empty: see the package.
	Like string

	// Settings are those that the broker has and does not tell, or tells otherwise.
	Settings map[string]string

	// Patience is how long an expected answer may take. 0: ten seconds.
	Patience time.Duration

	// ScriptTimeout is how long a script may take. 0: two minutes.
	ScriptTimeout time.Duration

	// Parallel is how many scripts run at a time. 0: eight.
	Parallel int
}

// A Broker is one that can be asked. Its methods must not be called concurrently.
type Broker struct {
	cfg      Config
	like     string
	node     int32
	prefix   string
	versions map[int16]protocol.VersionRange
	settings map[string]string // those that are known

	mu     sync.Mutex
	topics map[string]*topic // that scripts have asked for, by name and partitions
}

// readyTimeout is how long a broker may take until it coordinates groups: Kafka makes a topic for that at first.
const readyTimeout = 30 * time.Second

// Inspect asks the broker for its versions and settings, and waits until it coordinates groups.
func Inspect(ctx context.Context, cfg Config) (*Broker, error) {
	if cfg.Patience == 0 {
		cfg.Patience = 10 * time.Second
	}
	if cfg.ScriptTimeout == 0 {
		cfg.ScriptTimeout = 2 * time.Minute
	}
	if cfg.Parallel == 0 {
		cfg.Parallel = 8
	}
	b := &Broker{cfg: cfg, prefix: "joinsync-" + strings.ToLower(rand.Text()[:8]) + "-", topics: make(map[string]*topic)}
	if err := b.askVersions(ctx); err != nil {
		return nil, err
	}
	if err := b.askNode(ctx); err != nil {
		return nil, err
	}
	b.askSettings(ctx)
	return b, b.awaitReady(ctx)
}

// Like is the Kafka whose answers are expected, as script names it.
func (b *Broker) Like() string { return b.like }

// Prefix is what the groups, topics and transactional ids of this run begin with.
func (b *Broker) Prefix() string { return b.prefix }

// socket returns what a script talks to.
func (b *Broker) socket(groupPrefix string) *script.Socket {
	return &script.Socket{
		Addr: b.cfg.Addr, Dial: b.cfg.Dial, GroupPrefix: groupPrefix, TopicPrefix: b.prefix,
		EndsAtOnce: !b.has(kmsg.DescribeTransactions.Int16(), 0), // there is no way to ask
	}
}

// ask sends one request over a connection of its own.
func (b *Broker) ask(ctx context.Context, version int16, req kmsg.Request) (kmsg.Response, error) {
	req.SetVersion(version)
	ctx, cancel := context.WithTimeoutCause(ctx, b.cfg.Patience, fmt.Errorf("no answer within %v", b.cfg.Patience))
	defer cancel()
	session, err := b.socket("").Open(ctx, protocol.Identity{ClientID: "joinsync-conform"})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	resp, err := session.Request(ctx, req)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s v%d: %w", b.cfg.Addr, kmsg.NameForKey(req.Key()), version, err)
	}
	return resp, nil
}

// has reports whether the broker lists an API in a version.
func (b *Broker) has(key, version int16) bool {
	listed, ok := b.versions[key]
	return ok && listed.Contains(version)
}

func (b *Broker) askVersions(ctx context.Context) error {
	resp, err := b.ask(ctx, 0, kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		return err
	}
	versions := resp.(*kmsg.ApiVersionsResponse)
	if err := protocol.ErrorCode(versions.ErrorCode).Err(); err != nil {
		return fmt.Errorf("%s: ApiVersions v0: %w", b.cfg.Addr, err)
	}
	b.versions = make(map[int16]protocol.VersionRange)
	for _, k := range versions.ApiKeys {
		b.versions[k.ApiKey] = protocol.VersionRange{Min: k.MinVersion, Max: k.MaxVersion}
	}
	b.like = b.cfg.Like
	commit := kmsg.OffsetCommit.Int16()
	switch {
	case b.like != "":
	case b.has(commit, 0) && !b.has(commit, 10):
		b.like = script.Kafka392
	default:
		b.like = script.Kafka440
	}
	return nil
}

// askNode finds out the broker's node id, and that no other is beside it.
func (b *Broker) askNode(ctx context.Context) error {
	const version = 1
	if !b.has(kmsg.Metadata.Int16(), version) {
		return nil // it may still answer what is asked of groups
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	resp, err := b.ask(ctx, version, req)
	if err != nil {
		return err
	}
	brokers := resp.(*kmsg.MetadataResponse).Brokers
	if len(brokers) > 1 {
		return fmt.Errorf("the cluster of %s has %d brokers: use one that has a single broker, which coordinates all groups",
			b.cfg.Addr, len(brokers))
	}
	if len(brokers) == 1 {
		b.node = brokers[0].NodeID
	}
	return nil
}

// awaitReady waits until the broker coordinates groups. The names make it likely that all partitions of the offsets' topic are
// asked, of which Kafka has fifty.
func (b *Broker) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("no coordinator of groups within %v", readyTimeout))
	defer cancel()
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("%sready-%d", b.prefix, i)
	}
	for {
		code, err := b.ready(ctx, names)
		if err != nil || !code.Retriable() {
			return nil // or it fails at that, which scripts will show
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w: %w", b.cfg.Addr, context.Cause(ctx), code)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ready returns the first error that stands in the way of the groups.
func (b *Broker) ready(ctx context.Context, groups []string) (protocol.ErrorCode, error) {
	if b.has(kmsg.FindCoordinator.Int16(), 0) {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKey = groups[0]
		resp, err := b.ask(ctx, 0, req)
		if err != nil {
			return 0, err
		}
		if code := protocol.ErrorCode(resp.(*kmsg.FindCoordinatorResponse).ErrorCode); code != protocol.None {
			return code, nil
		}
	}
	if b.has(kmsg.DescribeGroups.Int16(), 0) {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = groups
		resp, err := b.ask(ctx, 0, req)
		if err != nil {
			return 0, err
		}
		for _, g := range resp.(*kmsg.DescribeGroupsResponse).Groups {
			if code := protocol.ErrorCode(g.ErrorCode); code.Retriable() {
				return code, nil
			}
		}
	}
	return protocol.None, nil
}
