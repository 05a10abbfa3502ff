package script

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// How a script waits for a coordinator that lives in real time.
const (
	// patience is how long an expected answer may take, unless the backend says. It costs time only where one does not come.
	patience = 20 * time.Second
	// quiet is how long no answer must come, before and after the coordinator was pinged, until a request counts as
	// parked: a step that expects one costs twice this time.
	quiet = 50 * time.Millisecond
	// quietRewriting is quiet where nothing is expected, because the answers are being written down.
	quietRewriting = 100 * time.Millisecond
)

// settle waits until all answers have come that come without time passing, and returns them. own is the request just
// sent, if any.
//
// In a bubble that is certain. In real time the expected number of answers is waited for. That a request is parked
// shows in that no answer has come when the coordinator has answered another request of the same group, sent later:
// it works off the events of one group in order, however slow it may be at the moment.
func (r *runner) settle(own *call, want []string) []*call {
	if r.idle != nil {
		r.idle()
		return r.collect(nil, func([]*call) time.Duration { return 0 })
	}
	calm, wantOwn, wantAll := quietRewriting, false, 0
	if r.rewrite {
		if own != nil {
			_, wantOwn = inTransaction(own.req) // which takes its time, and is never parked
		}
	} else {
		calm = quiet
		wantOwn = own != nil && len(want) > 0 && want[0] != parkedLine
		wantAll = len(slices.DeleteFunc(slices.Clone(want), func(l string) bool { return l == parkedLine }))
	}
	got := r.collect(nil, func(got []*call) time.Duration {
		if len(got) < wantAll || wantOwn && !slices.Contains(got, own) {
			return r.patience
		}
		return 0
	})
	if wantOwn && !r.rewrite {
		return got // it is all there; what comes unexpectedly shows in a later step
	}
	got = r.collect(got, func([]*call) time.Duration { return calm })
	r.ping()
	return r.collect(got, func([]*call) time.Duration { return calm })
}

// ping returns when the coordinator has answered a request for each group of the script: a heartbeat of a member that
// does not exist, which changes nothing.
func (r *runner) ping() {
	ctx, cancel := context.WithTimeout(r.ctx, r.patience)
	defer cancel()
	if r.pinger == nil {
		pinger, err := r.target.Open(ctx, protocol.Identity{ClientID: "ping"})
		if err != nil {
			return // the next request of the script says why
		}
		r.pinger = pinger
	}
	for group := range r.groups {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group, req.MemberID = group, "ping"
		r.pinger.Request(ctx, req)
	}
}

// collect takes answers until none comes for the time that more returns, or the script is to end.
func (r *runner) collect(got []*call, more func(got []*call) time.Duration) []*call {
	for {
		wait := more(got)
		if wait == 0 {
			select {
			case c := <-r.answered:
				got = r.take(got, c)
				continue
			default:
				return got
			}
		}
		timer := time.NewTimer(wait)
		select {
		case c := <-r.answered:
			timer.Stop()
			got = r.take(got, c)
		case <-timer.C:
			return got
		case <-r.ctx.Done():
			timer.Stop()
			return got
		}
	}
}

// take notes that a call was answered. The answers of a client that has disconnected are nobody's.
func (r *runner) take(got []*call, c *call) []*call {
	i := slices.Index(r.parked, c)
	if i < 0 {
		return got
	}
	r.parked = slices.Delete(r.parked, i, i+1)
	return append(got, c)
}

// parkedCalls lists what is not answered yet.
func (r *runner) parkedCalls() []string {
	var lines []string
	for _, c := range r.parked {
		lines = append(lines, c.String())
	}
	slices.SortStableFunc(lines, strings.Compare)
	return lines
}
