package kgotransport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// session is one member's way to the cluster.
type session struct {
	cl        *kgo.Client
	bootstrap string
	sasl      bool // for errors
	versions  protocol.Versions
	reached   atomic.Bool // some broker has answered

	mu           sync.Mutex
	coordinators map[string]coordinator // by group
}

// coordinator is a broker as FindCoordinator names it.
type coordinator struct {
	node int32
	addr string // for errors
}

// Request implements protocol.Session.
func (s *session) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if _, known := s.versions[req.Key()]; !known {
		return nil, fmt.Errorf("a member's session does not carry %s", protocol.APIName(req.Key()))
	}
	if req, ok := req.(*kmsg.ListOffsetsRequest); ok {
		return s.askLeaders(ctx, req)
	}
	group, ok := groupOf(req)
	if !ok {
		return s.anyBroker(ctx, req)
	}
	c, err := s.coordinator(ctx, group)
	if err != nil {
		return nil, err
	}
	resp, err := s.cl.Broker(int(c.node)).Request(ctx, s.outgoing(ctx, req))
	switch {
	case err == nil:
		s.reached.Store(true)
		if movedAway(resp) {
			s.forget(group, c)
		}
		return resp, nil
	case errors.Is(err, context.Canceled):
		return nil, err // says nothing about the coordinator
	}
	s.forget(group, c) // G-458, G-474
	return nil, s.explain(fmt.Sprintf("coordinator %s of group %q", c.addr, group), err)
}

// Close implements protocol.Session.
func (s *session) Close() error {
	s.cl.Close()
	return nil
}

// anyBroker sends req to one broker after the other until one answers.
func (s *session) anyBroker(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	brokers := s.cl.DiscoveredBrokers()
	rand.Shuffle(len(brokers), func(i, j int) { brokers[i], brokers[j] = brokers[j], brokers[i] })
	var last error
	for _, broker := range append(brokers, s.cl.SeedBrokers()...) {
		resp, err := broker.Request(ctx, s.outgoing(ctx, req))
		if err == nil {
			s.reached.Store(true)
			return resp, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, s.explain(s.bootstrap, last)
}

// coordinator returns the group's coordinator, looked up if it is not known (G-454).
func (s *session) coordinator(ctx context.Context, group string) (coordinator, error) {
	s.mu.Lock()
	c, known := s.coordinators[group]
	s.mu.Unlock()
	if known {
		return c, nil
	}
	// The ping makes kgo read the brokers' addresses anew: they may have changed together with the coordinator.
	if err := s.cl.Ping(ctx); err != nil {
		return c, s.explain(s.bootstrap, err)
	}
	s.reached.Store(true)
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorKey, req.CoordinatorKeys = group, []string{group}
	resp, err := s.anyBroker(ctx, req)
	if err != nil {
		return c, err
	}
	if c, err = found(resp.(*kmsg.FindCoordinatorResponse)); err != nil {
		return c, fmt.Errorf("find the coordinator of group %q: %w", group, err)
	}
	s.mu.Lock()
	s.coordinators[group] = c
	s.mu.Unlock()
	return c, nil
}

// found reads the answer to a look-up of one group, of any version (KIP-699).
func found(resp *kmsg.FindCoordinatorResponse) (coordinator, error) {
	code, node, host, port := resp.ErrorCode, resp.NodeID, resp.Host, resp.Port
	if len(resp.Coordinators) > 0 {
		first := resp.Coordinators[0]
		code, node, host, port = first.ErrorCode, first.NodeID, first.Host, first.Port
	}
	if err := protocol.ErrorCode(code).Err(); err != nil {
		return coordinator{}, err
	}
	if node < 0 {
		return coordinator{}, protocol.CoordinatorNotAvailable
	}
	return coordinator{node: node, addr: fmt.Sprintf("%s:%d", host, port)}, nil
}

// forget makes the next request for the group look its coordinator up, unless somebody else has done so already.
func (s *session) forget(group string, c coordinator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coordinators[group] == c {
		delete(s.coordinators, group)
	}
}

// outgoing is a request as kgo shall send it.
type outgoing struct {
	kmsg.Request
	max int16
}

// MaxVersion is the highest version that a member speaks: kgo knows newer ones, which name topics by id alone.
func (o outgoing) MaxVersion() int16 { return o.max }

// parked is a request that the coordinator holds back. kgo knows two of these, and guesses how long each may take; the
// caller's context says it.
type parked struct {
	outgoing
	millis int32
}

// Timeout tells kgo to wait for the answer that much longer than for others (kmsg.TimeoutRequest).
func (p parked) Timeout() int32 { return p.millis }

func (s *session) outgoing(ctx context.Context, req kmsg.Request) kmsg.Request {
	out := outgoing{req, min(req.MaxVersion(), s.versions[req.Key()].Max)}
	switch req.(type) {
	case *kmsg.JoinGroupRequest, *kmsg.SyncGroupRequest:
	default:
		return out
	}
	wait := int64(math.MaxInt32)
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, max(0, time.Until(deadline).Milliseconds()))
	}
	return parked{out, int32(wait)}
}
