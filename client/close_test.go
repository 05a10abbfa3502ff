package client_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
)

// G-479, and beyond: who is in no generation yet, but has a member id, leaves too.
func TestCancelledJoinLeavesNoGhost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("JoinGroup", p.friendly, silence) // parked by the coordinator, for the others to join
		m := newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := m.Join(ctx).Wait(t.Context())
		wantErr(t, err, context.DeadlineExceeded, `"g"`)
		synctest.Wait()
		leaves := p.requests("LeaveGroup")
		if len(leaves) != 1 || leaves[0].req.(*kmsg.LeaveGroupRequest).Members[0].MemberID != "member-1" {
			t.Fatalf("LeaveGroups: %+v", leaves)
		}
		if state, g := m.Standing(); state != client.Unjoined || g.MemberID != "" || g.ID != -1 {
			t.Errorf("standing is %v in %+v", state, g)
		}
		if a := join(t, m); a.Generation.MemberID != "member-2" { // the member is as good as new
			t.Errorf("joined again as %+v", a.Generation)
		}
	})
}

func TestJoinGoesOnForWhoeverStillWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("JoinGroup", p.friendly, after(time.Minute, p.friendly))
		m := newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		impatient, patient := m.Join(ctx), m.Join(t.Context())
		cancel()
		if _, err := impatient.Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled future ends with %v", err)
		}
		if _, err := patient.Wait(t.Context()); err != nil {
			t.Errorf("the other future ends with %v", err)
		}
	})
}

func TestEndOfTheContextDoesNotDisturbAnAssignedMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := m.Join(ctx).Wait(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		time.Sleep(time.Minute)
		if m.State() != client.Stable || len(p.requests("LeaveGroup")) != 0 {
			t.Errorf("state is %v", m.State())
		}
	})
}

func TestAlreadyEndedContextSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Join(ctx).Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("the future ends with %v", err)
		}
		synctest.Wait()
		if len(p.requests()) != 0 {
			t.Errorf("requests: %+v", p.requests())
		}
	})
}

func TestCloseIsConcurrentAndIdempotent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		p.reply("LeaveGroup", after(time.Second, p.friendly))
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := m.Close(t.Context()); err != nil {
					t.Errorf("Close: %v", err)
				}
				if m.State() != client.Unjoined {
					t.Errorf("state after Close is %v", m.State())
				}
			})
		}
		all.Wait()
		if leaves := p.requests("LeaveGroup"); len(leaves) != 1 || *leaves[0].req.(*kmsg.LeaveGroupRequest).Members[0].Reason != "the consumer is being closed" {
			t.Errorf("LeaveGroups: %+v", leaves)
		}
		if _, err := m.Join(t.Context()).Wait(t.Context()); !errors.Is(err, client.ErrClosed) {
			t.Errorf("Join after Close ends with %v", err)
		}
		if _, err := m.Request(t.Context(), kmsg.NewPtrMetadataRequest()); !errors.Is(err, client.ErrClosed) {
			t.Errorf("Request after Close ends with %v", err)
		}
		if m.Err() != nil {
			t.Errorf("Err after Close is %v", m.Err())
		}
	})
}

func TestCloseBeforeJoinClosesTheSession(t *testing.T) {
	p, w := newPeer(), newWork()
	m := newMember(t, p, w, client.Config{})
	if err := m.Close(t.Context()); err != nil || p.closed != 1 || len(p.requests()) != 0 {
		t.Errorf("Close: %v, closed %d times, requests %v", err, p.closed, p.requests())
	}
}

func TestCloseInTheMiddleOfAJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, step := range []string{"JoinGroup", "SyncGroup"} {
			p, w := newPeer(), newWork()
			if step == "JoinGroup" {
				p.reply("JoinGroup", p.friendly)
			}
			p.reply(step, silence)
			m := newMember(t, p, w, client.Config{})
			future := m.Join(t.Context())
			synctest.Wait()
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := future.Wait(t.Context()); !errors.Is(err, client.ErrClosed) {
				t.Errorf("%s: the future ends with %v", step, err)
			}
			if len(p.requests("LeaveGroup")) != 1 {
				t.Errorf("%s: requests are %v", step, p.requests())
			}
		}
	})
}

// G-480.
func TestStaticMemberDoesNotLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{InstanceID: "i"})
		join(t, m)
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if len(p.requests("LeaveGroup")) != 0 {
			t.Error("LeaveGroup was sent")
		}
		wantDiary(t, w, `generation 1: assigned "work of member-1"`, `generation 1: revoked on leaving`)
	})
}

func TestCloseStopsBeingPoliteWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		w.release = func(ctx context.Context, _ client.Release) { <-ctx.Done() } // a commit that gets no answer, say
		p.reply("LeaveGroup", silence)
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		wantErr(t, m.Close(ctx), context.DeadlineExceeded, `"g"`)
		began := time.Now()
		<-m.Done()
		if late := time.Since(began); late != time.Second || len(p.requests("LeaveGroup")) != 1 {
			t.Errorf("ended %v later, requests %v", late, p.requests())
		}
	})
}
