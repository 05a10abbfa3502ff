package script

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A runner is one execution of one script. One goroutine uses it; each request that is under way has a goroutine of its
// own, which ends by handing in its call.
type runner struct {
	target   Target
	idle     func() // Target.Idle; nil in real time
	rewrite  bool
	patience time.Duration // how long an expected answer may take
	names    *namebook
	defaults map[string]string
	clients  map[string]*client
	pinger   protocol.Session // see ping; nil until it is used
	groups   map[string]bool  // the group ids, with prefix, of the requests so far

	ctx      context.Context
	cancel   context.CancelFunc
	requests sync.WaitGroup
	answered chan *call
	parked   []*call // sent and not answered, in the order of sending
}

// A client is one session, and what the script calls it.
type client struct {
	name    string
	id      string // the client id
	session protocol.Session
}

// A call is one request and, in the end, its answer.
type call struct {
	client  *client
	req     kmsg.Request
	written chan struct{} // closed when a connection has the request, or there is none
	resp    kmsg.Response
	err     error
}

func newRunner(ctx context.Context, target Target, rewrite bool) *runner {
	r := &runner{
		target:   target,
		idle:     target.Idle(),
		rewrite:  rewrite,
		patience: patience,
		names:    newNamebook(target.Prefixes()),
		clients:  map[string]*client{},
		groups:   map[string]bool{},
		answered: make(chan *call),
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// close ends every request that is still under way and waits for their goroutines.
func (r *runner) close() {
	r.cancel()
	for _, c := range r.clients {
		c.session.Close()
	}
	if r.pinger != nil {
		r.pinger.Close()
	}
	ended := make(chan struct{})
	go func() {
		r.requests.Wait()
		close(ended)
	}()
	for {
		select {
		case <-r.answered:
		case <-ended:
			return
		}
	}
}

// run executes the steps, and compares or rewrites their answers.
func (r *runner) run(f *file, h head, name string) error {
	var all Differences
	last := 0
	for _, s := range f.steps() {
		if !s.runsOn(name) {
			continue
		}
		last = s.line
		want := s.wantOf(name)
		got, err := r.execute(s.text, want)
		switch {
		case r.ctx.Err() != nil:
			return fmt.Errorf("%s:%d: %w", f.path, s.line, context.Cause(r.ctx))
		case err != nil && all != nil:
			return all // which may have led to the error
		case err != nil:
			return fmt.Errorf("%s:%d: %w", f.path, s.line, err)
		case r.rewrite:
			s.rewrite(name, h.isBase(name, s), got)
		case !slices.Equal(got, want):
			d := Difference{Path: f.path, Line: s.line, Target: name, API: s.api(), Step: s.raw, Want: want, Got: got}
			all = append(all, d)
			if !d.goesOn() || len(all) == maxDifferences {
				return all
			}
		}
	}
	if late := r.settle(nil, nil); len(late) > 0 {
		all = append(all, Difference{Path: f.path, Line: last, Target: name, Step: "after the last step", Got: r.render(nil, late)})
	}
	if all != nil {
		return all
	}
	return nil
}

// execute carries out one step and returns its answers as lines.
func (r *runner) execute(text string, want []string) ([]string, error) {
	word, rest, _ := strings.Cut(text, " ")
	if name, ok := strings.CutSuffix(word, ":"); ok {
		return r.request(name, rest, want)
	}
	run, ok := directives[word]
	if !ok {
		return nil, fmt.Errorf("there is no step %q; steps are %s, and requests: A: JoinGroup v9 …", word, directiveNames())
	}
	return run(r, strings.TrimSpace(rest), want)
}

// request sends a request and returns what comes of it: its own answer, or that it is parked, and the answers to earlier
// requests that it set free.
func (r *runner) request(name, line string, want []string) ([]string, error) {
	own, err := r.send(name, line)
	if err != nil {
		return nil, err
	}
	return r.render(own, r.settle(own, want)), nil
}

// send sends a request and does not wait for its answer.
func (r *runner) send(name, line string) (*call, error) {
	c, err := r.client(name)
	if err != nil {
		return nil, err
	}
	req, err := parseRequest(line, r.names, r.defaults)
	if err != nil {
		return nil, err
	}
	if g := groupOf(req); g != "" {
		r.groups[g] = true
	}
	own := &call{client: c, req: req, written: make(chan struct{})}
	r.parked = append(r.parked, own)
	r.requests.Go(func() {
		written := sync.OnceFunc(func() { close(own.written) })
		own.resp, own.err = c.session.Request(context.WithValue(r.ctx, whenWritten{}, written), own.req)
		written()
		r.answered <- own
	})
	return own, nil
}

// groupOf returns the group id of a request that may be parked, or whose answer may set others free.
func groupOf(req kmsg.Request) string {
	switch r := req.(type) {
	case *kmsg.JoinGroupRequest:
		return r.Group
	case *kmsg.SyncGroupRequest:
		return r.Group
	case *kmsg.LeaveGroupRequest:
		return r.Group
	}
	return ""
}

// client returns the client of a name, and opens its session at first. Its client id is its name.
func (r *runner) client(name string) (*client, error) {
	if c := r.clients[name]; c != nil {
		return c, nil
	}
	return r.open(name, name)
}

var clientName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

func (r *runner) open(name, id string) (*client, error) {
	if !clientName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a client; write letters and digits, as in A: JoinGroup v9", name)
	}
	session, err := r.target.Open(r.ctx, protocol.Identity{ClientID: id})
	if err != nil {
		return nil, fmt.Errorf("open a session for client %s: %w", name, err)
	}
	c := &client{name: name, id: id, session: session}
	r.clients[name] = c
	return c, nil
}
