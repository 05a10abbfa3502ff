package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// peer is a coordinator written by hand, for what no real one would answer on request. By itself it runs a group of
// one: it gives a member id, then a generation to lead, and sends the assignment back. Answers queued with reply come
// instead.
type peer struct {
	mu         sync.Mutex
	generation int32
	ids        int
	queued     map[string][]answer
	sent       []sent
	closed     int
}

// answer is one answer to come. It may wait for the end of ctx.
type answer func(ctx context.Context, req kmsg.Request) (kmsg.Response, error)

// sent is a request that the peer has seen.
type sent struct {
	api string
	at  time.Time
	req kmsg.Request
}

func newPeer() *peer { return &peer{queued: make(map[string][]answer)} }

func (p *peer) Open(context.Context, protocol.Identity) (protocol.Session, error) { return p, nil }

func (p *peer) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed++
	return nil
}

func (p *peer) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	api := kmsg.NameForKey(req.Key())
	p.mu.Lock()
	p.sent = append(p.sent, sent{api, time.Now(), req})
	reply := p.friendly
	if queue := p.queued[api]; len(queue) > 0 {
		reply, p.queued[api] = queue[0], queue[1:]
	}
	p.mu.Unlock()
	return reply(ctx, req)
}

func (p *peer) friendly(_ context.Context, req kmsg.Request) (kmsg.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		resp := kmsg.NewPtrJoinGroupResponse()
		resp.MemberID = req.MemberID
		if req.MemberID == "" {
			p.ids++
			resp.MemberID = fmt.Sprintf("member-%d", p.ids)
			if req.InstanceID == nil {
				resp.ErrorCode = int16(protocol.MemberIDRequired)
				return resp, nil
			}
		}
		p.generation++
		resp.Generation, resp.LeaderID = p.generation, resp.MemberID
		resp.ProtocolType, resp.Protocol = &req.ProtocolType, &req.Protocols[0].Name
		member := kmsg.NewJoinGroupResponseMember()
		member.MemberID, member.InstanceID, member.ProtocolMetadata = resp.MemberID, req.InstanceID, req.Protocols[0].Metadata
		resp.Members = append(resp.Members, member)
		return resp, nil
	case *kmsg.SyncGroupRequest:
		resp := kmsg.NewPtrSyncGroupResponse()
		resp.ProtocolType, resp.Protocol = req.ProtocolType, req.Protocol
		for _, a := range req.GroupAssignment {
			if a.MemberID == req.MemberID {
				resp.MemberAssignment = a.MemberAssignment
			}
		}
		return resp, nil
	default:
		return req.ResponseKind(), nil
	}
}

// reply queues answers to an API. What is not queued is answered as ever.
func (p *peer) reply(api string, answers ...answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued[api] = append(p.queued[api], answers...)
}

// requests returns what the peer has been sent, of these APIs or of all.
func (p *peer) requests(apis ...string) []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(apis) == 0 {
		return slices.Clone(p.sent)
	}
	return slices.DeleteFunc(slices.Clone(p.sent), func(s sent) bool { return !slices.Contains(apis, s.api) })
}

// joins returns the JoinGroups that the peer has been sent.
func (p *peer) joins() []*kmsg.JoinGroupRequest {
	var joins []*kmsg.JoinGroupRequest
	for _, s := range p.requests("JoinGroup") {
		joins = append(joins, s.req.(*kmsg.JoinGroupRequest))
	}
	return joins
}

// code answers with an error code and nothing else.
func code(c protocol.ErrorCode) answer {
	return func(_ context.Context, req kmsg.Request) (kmsg.Response, error) {
		switch resp := req.ResponseKind().(type) {
		case *kmsg.JoinGroupResponse:
			resp.ErrorCode = int16(c)
			return resp, nil
		case *kmsg.SyncGroupResponse:
			resp.ErrorCode = int16(c)
			return resp, nil
		case *kmsg.HeartbeatResponse:
			resp.ErrorCode = int16(c)
			return resp, nil
		case *kmsg.LeaveGroupResponse:
			resp.ErrorCode = int16(c)
			return resp, nil
		}
		return nil, fmt.Errorf("%T has no error code", req)
	}
}

// broken is the answer of a connection that breaks.
func broken(err error) answer {
	return func(context.Context, kmsg.Request) (kmsg.Response, error) { return nil, err }
}

// silence is no answer.
func silence(ctx context.Context, _ kmsg.Request) (kmsg.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// after answers later.
func after(d time.Duration, then answer) answer {
	return func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
		select {
		case <-time.After(d):
			return then(ctx, req)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// work is a Protocol that shares out nothing: each member gets the words "work of" and its id. It keeps a diary.
type work struct {
	mu      sync.Mutex
	diary   []string
	offers  []client.Offer
	perform func(ctx context.Context, e client.Election) (map[string][]byte, error)
	release func(ctx context.Context, r client.Release)
	keeps   bool // its assignment, while it joins again
	assign  func(ctx context.Context, a client.Assignment) error
}

func newWork() *work { return &work{offers: []client.Offer{{Name: "fair", Metadata: []byte("me")}}} }

func (w *work) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.diary = append(w.diary, fmt.Sprintf(format, args...))
}

func (w *work) read() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.diary)
}

func (w *work) Type() string           { return "work" }
func (w *work) Offers() []client.Offer { return w.offers }

func (w *work) PerformAssignment(ctx context.Context, e client.Election) (map[string][]byte, error) {
	if w.perform != nil {
		return w.perform(ctx, e)
	}
	all := make(map[string][]byte)
	for _, m := range e.Members {
		all[m.ID] = []byte("work of " + m.ID)
	}
	return all, nil
}

func (w *work) Assigned(ctx context.Context, a client.Assignment) error {
	w.note("generation %d: assigned %q", a.Generation.ID, a.Bytes)
	if w.assign != nil {
		return w.assign(ctx, a)
	}
	return nil
}

func (w *work) Release(ctx context.Context, r client.Release) (kept bool) {
	if w.release != nil {
		w.release(ctx, r)
	}
	how := "revoked"
	if r.Lost {
		how = "lost"
	}
	if r.Leaving {
		how += " on leaving"
	}
	if w.keeps {
		how += " or kept"
	}
	w.note("generation %d: %s", r.Generation.ID, how)
	return w.keeps
}

// newMember returns a member of group g over p.
func newMember(t *testing.T, p *peer, w *work, cfg client.Config) *client.Member {
	t.Helper()
	if cfg.Group == "" {
		cfg.Group = "g"
	}
	m, err := client.New(p, w, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

// join waits until m is assigned.
func join(t *testing.T, m *client.Member) client.Assignment {
	t.Helper()
	a, err := m.Join(t.Context()).Wait(t.Context())
	if err != nil {
		t.Fatalf("join: %v", err)
	}
	return a
}

// wantErr checks that err is target and speaks of each of the words.
func wantErr(t *testing.T, err, target error, words ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error is %v, want %v", err, target)
	}
	wantWords(t, err, words...)
}
