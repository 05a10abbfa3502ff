package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// inProcess is a coordinator of this library, in process and in virtual time: scripts run on it in a testing/synctest
// bubble. The coordinator is closed at the end of the test.
func inProcess(t testing.TB) Backend {
	return Backend{Name: Core, Start: func(s *Script) (Target, error) {
		for _, req := range s.Requests(Core) {
			if req.API == "FindCoordinator" || req.API == "ApiVersions" {
				return nil, &Unfit{req.API + ": whoever has the coordinator in process has found it"}
			}
		}
		return startCore(t, s.Settings())
	}}
}

func startCore(t testing.TB, settings map[string]string) (*core, error) {
	t.Helper()
	config := coordinator.Config{InitialRebalanceDelay: -1, MinSessionTimeout: 100 * time.Millisecond}
	for property, value := range settings {
		set, ok := coreSettings[property]
		if !ok {
			return nil, &Unfit{fmt.Sprintf("this library's coordinator has no setting %s; it has %q", property,
				slices.Sorted(maps.Keys(coreSettings)))}
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", property, err)
		}
		set(&config, n)
	}
	topics := new(coreTopics)
	transactions := &coreTransactions{byID: map[string]*coreTransaction{}}
	config.Topics, config.Transactions = topics, transactions
	c, err := coordinator.New(context.Background(), config)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	transactions.coordinator = c
	return &core{coordinator: c, topics: topics, transactions: transactions}, nil
}

// coreSettings are Kafka's broker properties as fields of our config.
var coreSettings = map[string]func(c *coordinator.Config, n int){
	"group.initial.rebalance.delay.ms": func(c *coordinator.Config, n int) {
		c.InitialRebalanceDelay = time.Duration(n) * time.Millisecond
		if n == 0 {
			c.InitialRebalanceDelay = -1
		}
	},
	"group.min.session.timeout.ms": func(c *coordinator.Config, n int) {
		c.MinSessionTimeout = time.Duration(n) * time.Millisecond
	},
	"group.max.session.timeout.ms": func(c *coordinator.Config, n int) {
		c.MaxSessionTimeout = time.Duration(n) * time.Millisecond
	},
	"group.max.size":            func(c *coordinator.Config, n int) { c.MaxGroupSize = n },
	"offset.metadata.max.bytes": func(c *coordinator.Config, n int) { c.OffsetMetadataMaxBytes = n },
	"offsets.retention.minutes": func(c *coordinator.Config, n int) { c.OffsetsRetention = time.Duration(n) * time.Minute },
	"offsets.retention.check.interval.ms": func(c *coordinator.Config, n int) {
		c.OffsetsRetentionCheckInterval = time.Duration(n) * time.Millisecond
	},
}

type core struct {
	coordinator  *coordinator.Coordinator
	topics       *coreTopics
	transactions *coreTransactions
}

func (*core) Idle() func()               { return synctest.Wait }
func (*core) Prefixes() (string, string) { return "", "" }

func (c *core) Open(_ context.Context, id protocol.Identity) (protocol.Session, error) {
	s := &coreSession{core: c, peer: coordinator.Peer{ClientID: id.ClientID, Host: "/127.0.0.1"}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s, nil
}

// A coreSession hands requests to the coordinator in the version that they have.
type coreSession struct {
	core   *core
	peer   coordinator.Peer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Request sends the answer through its own encoding, so that a script sees what a client of that version would.
func (s *coreSession) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if resp, ok := s.core.transactions.answer(ctx, req); ok {
		return resp, nil
	}
	if !s.core.coordinator.Versions()[req.Key()].Contains(req.GetVersion()) {
		return nil, errConnectionClosed // as by a broker (G-221)
	}
	read := req.ResponseKind()
	resp, err := s.core.coordinator.Handle(ctx, s.peer, req)
	if errors.Is(err, coordinator.ErrSuperseded) {
		<-ctx.Done() // a broker stays silent
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if err := read.ReadFrom(resp.AppendTo(nil)); err != nil {
		return nil, fmt.Errorf("the response is malformed: %w", err)
	}
	return read, nil
}

func (s *coreSession) Close() error {
	s.cancel(errSessionClosed)
	return nil
}

// TestScenariosOnCore runs every scenario on this library's coordinator, in virtual time.
func TestScenariosOnCore(t *testing.T) {
	if *rewrite && *from != Core {
		t.Skipf("rewriting from %s", *from)
	}
	eachScenario(t, func(t *testing.T, s *Script) {
		synctest.Test(t, func(t *testing.T) { runScript(t, s, inProcess(t)) })
	})
}
