package differ

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A liar is a target that says of every rebalance that there is none.
type liar struct{ script.Target }

func (l liar) Open(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	session, err := l.Target.Open(ctx, id)
	return lyingSession{session}, err
}

type lyingSession struct{ protocol.Session }

func (l lyingSession) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	resp, err := l.Session.Request(ctx, req)
	if r, ok := resp.(*kmsg.HeartbeatResponse); ok && protocol.ErrorCode(r.ErrorCode) == protocol.RebalanceInProgress {
		r.ErrorCode = 0
	}
	return resp, err
}

func TestADivergenceIsFoundAndShrunk(t *testing.T) {
	var mu sync.Mutex // one bubble at a time
	on := func(wrap func(script.Target) script.Target) system {
		return func(r run, s schedule) (played schedule, err error) {
			mu.Lock()
			defer mu.Unlock()
			synctest.Test(t, func(t *testing.T) {
				r.target, r.inTurn = wrap(startServer(t)), true
				played, err = r.replay(t.Context(), s)
			})
			return played, err
		}
	}
	honest := on(func(target script.Target) script.Target { return target })
	lying := on(func(target script.Target) script.Target { return liar{target} })
	for seed := range uint64(50) {
		s := recordOurs(t, seed)
		if d := compare(s, honest); d != nil {
			t.Fatalf("our server diverges from itself:\n%v", d)
		}
		d := compare(s, lying)
		if d == nil {
			continue
		}
		d = shrink(d, honest, lying, 0, time.Minute)
		text := d.String()
		// Who else is in the group, or joins it, and a heartbeat.
		if n := len(d.schedule.steps) - len(setup); n > 5 || !strings.HasSuffix(text, "  → REBALANCE_IN_PROGRESS\n  [core] → NONE\n") {
			t.Errorf("%d steps were left of %d:\n%s", n, len(s.steps), text)
		}
		return
	}
	t.Error("nobody met a rebalance")
}

func TestRequestsAtOnceMayBeHandledInAnyOrder(t *testing.T) {
	ours := func(r run, s schedule) (schedule, error) { return serve(t, r, s, newCoverage()) }
	join, leave := "A: JoinGroup v3 protocols=[range:orders]", "A: LeaveGroup v0 member=$A"
	s := schedule{steps: []step{{lines: setup[:1]}, {lines: setup[1:]},
		{[]string{join}, []string{"→ NONE gen=1 protocol=range leader=$A member=$A members=[$A:orders]"}},
		{[]string{"B: Heartbeat v0 gen=1 member=$A", leave}, []string{"A LeaveGroup → NONE", "B Heartbeat → UNKNOWN_MEMBER_ID"}},
	}}
	if d := compare(s, ours); d != nil {
		t.Errorf("the leave came first, but:\n%v", d)
	}
	s.steps = slices.Clone(s.steps)
	s.steps[3].answers = []string{"A LeaveGroup → NONE", "B Heartbeat → ILLEGAL_GENERATION"}
	if compare(s, ours) == nil {
		t.Error("an answer that no order gives was not noticed")
	}
}
