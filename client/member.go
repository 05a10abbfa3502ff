package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/protocol"
)

// Member is one member of one group, of any protocol type. See the package comment for its life.
//
// All methods may be called concurrently. An idle member has two goroutines: its own, and the one that sends its
// heartbeats.
type Member struct {
	cfg      Config
	protocol Protocol
	session  Session
	log      *zap.Logger
	standing standing

	stopping, hard context.Context // ended by the start of Close, and when Close gives up waiting
	stop, stopHard context.CancelFunc
	closed         chan struct{} // the member has ended
	heartbeats     sync.WaitGroup
	reached        atomic.Bool // the cluster has answered at least once

	mu            sync.Mutex
	started, over bool
	err           error // why it is over
	waiters       map[*waiter]struct{}
	established   bool               // stable at least once since it began to join
	abandon       context.CancelFunc // gives the join under way up, if it is a first one
	lastFailure   error              // of the join under way, for whoever stops waiting for it

	// The rest belongs to the member's own goroutine.
	offered       []string   // protocol names of the last JoinGroup
	current       Assignment // the last one
	assigned      bool       // the Protocol has current to release
	kept          bool       // the Protocol has kept some of current while the member joins again
	stopHeartbeat context.CancelFunc
	began         time.Time // when the first join began
	pauses        backoff   // between lost requests
	refusals      int       // JoinGroups refused in a row
}

// New returns a member that has not joined yet. It opens the member's session, so Close must be called in the end. It
// reports all faults of cfg together.
func New(transport Transport, p Protocol, cfg Config) (*Member, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("member configuration: %w", err)
	}
	cfg = cfg.withDefaults(p.Type())
	session, err := transport.Open(context.Background(), Identity{ClientID: cfg.ClientID})
	if err != nil {
		return nil, fmt.Errorf("open a session for group %q: %w", cfg.Group, err)
	}
	m := &Member{
		cfg:      cfg,
		protocol: p,
		session:  session,
		log:      cfg.Logger.With(zap.String("group", cfg.Group), zap.String("client", cfg.ClientID)),
		closed:   make(chan struct{}),
		waiters:  make(map[*waiter]struct{}),
		pauses:   backoff{min: cfg.RetryBackoff, max: cfg.RetryBackoffMax},
	}
	m.standing.init()
	m.stopping, m.stop = context.WithCancel(context.Background())
	m.hard, m.stopHard = context.WithCancel(context.Background())
	return m, nil
}

// Join makes the member join its group, if it has not, and returns the future of its assignment: the present one if
// the member is stable, else the one of the rebalance under way. The future completes with the answer to SyncGroup, or
// with the first error that the member cannot get over, whichever request it came from.
//
// ctx bounds this join. If it ends first, the future completes with its error. Once the contexts of all that wait for
// a first join have ended, the member gives up and leaves the group; it may join again later. A member that has been
// assigned stays in the group, whatever becomes of ctx.
func (m *Member) Join(ctx context.Context) *Future[Assignment] {
	w := &waiter{future: newFuture[Assignment]()}
	if ctx.Err() != nil {
		w.future.complete(Assignment{}, fmt.Errorf("join group %q: %w", m.cfg.Group, context.Cause(ctx)))
		return w.future
	}
	m.mu.Lock()
	if m.over {
		err := m.err
		m.mu.Unlock()
		w.future.complete(Assignment{}, cmp.Or(err, ErrClosed))
		return w.future
	}
	start := !m.started
	m.started = true
	m.waiters[w] = struct{}{}
	w.unhook = context.AfterFunc(ctx, func() { m.giveUp(w, context.Cause(ctx)) })
	m.mu.Unlock()
	if start {
		go m.run()
	}
	m.standing.signal()
	return w.future
}

// Rejoin makes a joined member release its assignment, or keep it, if that is its Protocol's way, and join again, so that
// the leader assigns anew: Java's enforceRebalance. The reason goes into JoinGroup (KIP-800) and the broker's log; empty
// means "rebalance enforced by user" (G-490). Wait for the outcome with Join. A member that has not joined stays as it is.
func (m *Member) Rejoin(reason string) {
	if reason == "" {
		reason = "rebalance enforced by user"
	}
	m.mu.Lock()
	joined := m.started && !m.over
	m.mu.Unlock()
	if joined {
		m.standing.requestRejoin(reason, false)
	}
}

// State returns where the member stands.
func (m *Member) State() State {
	state, _ := m.standing.snapshot()
	return state
}

// Standing returns the member's state together with its generation, as they belong together: what a request that the
// coordinator fences is made from.
func (m *Member) Standing() (State, Generation) { return m.standing.snapshot() }

// Config returns the member's configuration, defaults filled in.
func (m *Member) Config() Config { return m.cfg }

// Request sends a request of your own over the member's session, for a wrapper that needs offsets or topics. It waits
// no longer than the request timeout.
func (m *Member) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	select {
	case <-m.closed:
		return nil, ErrClosed
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, m.cfg.RequestTimeout)
	defer cancel()
	resp, err := m.session.Request(ctx, req)
	if err == nil {
		m.reached.Store(true)
	}
	return resp, err
}

// Refused tells the member that the coordinator has answered code to a request of its own, such as a commit, that was
// made in generation sent. The member draws the same conclusions as from a heartbeat (G-467, G-470). It reports
// whether sent is still the member's generation; if not, nothing follows from the answer.
func (m *Member) Refused(api string, sent Generation, code protocol.ErrorCode) bool {
	return m.standing.fence(api, sent, code)
}

// Done is closed when the member has ended: by Close, or by an error that it cannot get over.
func (m *Member) Done() <-chan struct{} { return m.closed }

// Err returns why the member has ended: nil before that, and after a Close in which the Protocol did not panic.
func (m *Member) Err() error {
	select {
	case <-m.closed:
		return m.outcome()
	default:
		return nil
	}
}

// setOver notes that the member is over, and why.
func (m *Member) setOver(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over, m.err = true, err
}

// outcome is what Err returns once the member is over.
func (m *Member) outcome() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if errors.Is(m.err, ErrClosed) {
		return nil
	}
	return m.err
}

// Close releases the member's assignment, leaves the group (unless the member is static, G-480), and closes the
// session. When ctx ends, it stops being polite: the contexts of the Protocol's methods end, and it returns ctx's
// error, while LeaveGroup still gets a second. It may be called again and concurrently; every call waits for the end,
// and returns Err.
func (m *Member) Close(ctx context.Context) error {
	m.stop()
	m.mu.Lock()
	idle := !m.started && !m.over
	m.over = true
	m.mu.Unlock()
	if idle {
		m.end(ErrClosed)
	}
	select {
	case <-m.closed:
		return m.Err()
	default:
	}
	select {
	case <-m.closed:
		return m.Err()
	case <-ctx.Done():
		m.stopHard()
		return fmt.Errorf("close member of group %q: %w", m.cfg.Group, context.Cause(ctx))
	}
}
