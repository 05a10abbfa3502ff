package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// crowdGroup is the group of a crowd.
const crowdGroup = "crowd"

// crowd is one group of many members.
type crowd struct {
	transport protocol.Transport
	members   []*client.Member

	mu     sync.Mutex
	want   int           // members to be assigned in one generation
	size   map[int32]int // by generation, how many members its leader has seen
	told   map[int32]int // by generation, how many members were assigned
	latest int32         // the highest generation of those
	full   chan struct{} // closed when all have been assigned in one generation
	news   chan struct{} // has a token when somebody was assigned
}

func newCrowd(transport protocol.Transport) *crowd {
	return &crowd{
		transport: transport, size: make(map[int32]int), told: make(map[int32]int), news: make(chan struct{}, 1),
	}
}

// job is a Protocol that takes no time. Each member has its own.
type job struct {
	crowd *crowd
	last  int32 // generation of the last assignment
}

// What the members agree on: about as many bytes as those of a consumer of one topic.
const protocolType = "bench"

var (
	offers     = []client.Offer{{Name: "none", Metadata: []byte("subscription of one topic")}}
	assignment = []byte("8 bytes.")
)

// Type implements client.Protocol.
func (j *job) Type() string { return protocolType }

// Offers implements client.Protocol.
func (j *job) Offers() []client.Offer { return offers }

// PerformAssignment implements client.Protocol.
func (j *job) PerformAssignment(_ context.Context, e client.Election) (map[string][]byte, error) {
	j.crowd.elected(e.Generation.ID, len(e.Members))
	all := make(map[string][]byte, len(e.Members))
	for _, m := range e.Members {
		all[m.ID] = assignment
	}
	return all, nil
}

// Assigned implements client.Protocol.
func (j *job) Assigned(_ context.Context, a client.Assignment) error {
	if a.Generation.ID != j.last {
		j.last = a.Generation.ID
		j.crowd.assigned(a.Generation.ID)
	}
	return nil
}

// Release implements client.Protocol.
func (j *job) Release(context.Context, client.Release) (kept bool) { return false }

func (c *crowd) elected(generation int32, members int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size[generation] = members
}

func (c *crowd) assigned(generation int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[generation]++
	c.latest = max(c.latest, generation)
	if c.size[generation] == c.want && c.told[generation] == c.want {
		close(c.full)
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// expect sets how many members are to be assigned in one generation, and returns what is closed then.
func (c *crowd) expect(members int) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.want, c.full = members, make(chan struct{})
	return c.full
}

// complete tells whether the generation that was assigned last has the members that it should have.
func (c *crowd) complete() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size[c.latest] == c.want
}

// generation returns the highest that somebody was assigned in.
func (c *crowd) generation() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest
}

// add makes n members join, and returns how long it took until all members were assigned.
func (c *crowd) add(ctx context.Context, n int) (time.Duration, error) {
	before := slices.Clone(c.members)
	for range n {
		m, err := client.New(c.transport, &job{crowd: c}, client.Config{
			Group: crowdGroup, ClientID: "bench", HeartbeatInterval: 40 * time.Second, // only those that await sends
		})
		if err != nil {
			return 0, err
		}
		c.members = append(c.members, m)
	}
	full := c.expect(len(c.members))
	began := time.Now()
	for _, m := range c.members[len(before):] {
		m.Join(context.Background())
	}
	if err := c.await(ctx, full); err != nil {
		return 0, fmt.Errorf("%d more join %d: %w", n, len(before), err)
	}
	return time.Since(began), nil
}

// leave closes the last member, and returns how long it took until the others were assigned again.
func (c *crowd) leave(ctx context.Context) (time.Duration, error) {
	last := c.members[len(c.members)-1]
	c.members = c.members[:len(c.members)-1]
	full := c.expect(len(c.members))
	began := time.Now()
	if err := last.Close(ctx); err != nil {
		return 0, err
	}
	if err := c.await(ctx, full); err != nil {
		return 0, fmt.Errorf("one leaves %d: %w", len(c.members), err)
	}
	return time.Since(began), nil
}

// await waits until full is closed. Meanwhile, as long as the generation that was assigned last is not the wanted one, it
// sends heartbeats: one stable member asks for all, and when it learns of a rebalance, the others ask too.
func (c *crowd) await(ctx context.Context, full <-chan struct{}) error {
	for {
		scout := slices.IndexFunc(c.members, stable)
		if scout >= 0 && !c.complete() {
			if beat(ctx, c.members[scout]) == protocol.RebalanceInProgress {
				c.beatAll(ctx)
			}
			runtime.Gosched()
			if ctx.Err() == nil {
				continue
			}
		}
		select {
		case <-full:
			return nil
		case <-c.news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func stable(m *client.Member) bool { return m.State() == client.Stable }

// beat sends a heartbeat of a member's, tells the member what it learns, and returns it.
func beat(ctx context.Context, m *client.Member) protocol.ErrorCode {
	_, g := m.Standing()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation, req.MemberID = crowdGroup, g.ID, g.MemberID
	resp, err := m.Request(ctx, req)
	if err != nil {
		return protocol.UnknownServerError
	}
	code := protocol.ErrorCode(resp.(*kmsg.HeartbeatResponse).ErrorCode)
	if code != protocol.None {
		m.Refused("HEARTBEAT", g, code)
	}
	return code
}

// beatAll sends a heartbeat of every stable member, some at a time.
func (c *crowd) beatAll(ctx context.Context) {
	var beating sync.WaitGroup
	defer beating.Wait()
	const atOnce = 16
	for part := range slices.Chunk(c.members, max(1, len(c.members)/atOnce)) {
		beating.Go(func() {
			for _, m := range part {
				if stable(m) {
					beat(ctx, m)
				}
			}
		})
	}
}

// seats returns the members as seats, each with a session of its own.
func (c *crowd) seats(ctx context.Context) ([]*seat, error) {
	var seats []*seat
	for _, m := range c.members {
		session, err := c.transport.Open(ctx, protocol.Identity{ClientID: "bench"})
		if err != nil {
			return nil, err
		}
		_, g := m.Standing()
		seats = append(seats, &seat{session, crowdGroup, g.MemberID, g.ID})
	}
	return seats, nil
}

// end ends the members of a coordinator that was closed already.
func (c *crowd) end() {
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range c.members {
		_ = m.Close(dead) // nobody listens
	}
	for _, m := range c.members {
		<-m.Done()
	}
}
