package client_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// G-475: the interval counts from sending, so a slow answer does not stretch it.
func TestHeartbeatsKeepTheirInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		p.reply("Heartbeat", p.friendly, after(2*time.Second, p.friendly), p.friendly)
		began := time.Now()
		time.Sleep(10 * time.Second)
		for i, beat := range p.requests("Heartbeat") {
			if at := beat.at.Sub(began); at != time.Duration(i+1)*3*time.Second {
				t.Errorf("heartbeat %d came after %v", i+1, at)
			}
			req := beat.req.(*kmsg.HeartbeatRequest)
			if req.Group != "g" || req.Generation != 1 || req.MemberID != "member-1" || req.InstanceID != nil {
				t.Errorf("heartbeat is %+v", req)
			}
		}
	})
}

// G-474: a heartbeat without an answer is given up after the session timeout and sent again, whereupon the session
// looks for the coordinator anew.
func TestUnansweredHeartbeatIsGivenUpAfterTheSessionTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{SessionTimeout: 10 * time.Second})
		join(t, m)
		p.reply("Heartbeat", silence)
		time.Sleep(14 * time.Second)
		beats := p.requests("Heartbeat")
		if len(beats) != 2 {
			t.Fatalf("%d heartbeats", len(beats))
		}
		if waited := beats[1].at.Sub(beats[0].at); waited < 10*time.Second || waited > 10*time.Second+150*time.Millisecond {
			t.Errorf("waited for %v", waited)
		}
		if m.State() != client.Stable {
			t.Errorf("state is %v", m.State())
		}
	})
}

func TestFailedHeartbeatsAreRetriedWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		fail := broken(net.ErrClosed)
		p.reply("Heartbeat", fail, fail, fail, fail, fail, p.friendly)
		time.Sleep(3*time.Second + 4*time.Second)
		beats := p.requests("Heartbeat")
		if len(beats) != 6 {
			t.Fatalf("%d heartbeats", len(beats))
		}
		for i := range 5 {
			around := min(100*time.Millisecond<<i, time.Second)
			if pause := beats[i+1].at.Sub(beats[i].at); pause < around*8/10 || pause > min(around*12/10, time.Second) {
				t.Errorf("pause %d is %v, want about %v", i, pause, around)
			}
		}
	})
}

// G-473: no heartbeat while JoinGroup is parked, but while SyncGroup is.
func TestHeartbeatsRestWhileJoinGroupIsParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		p.reply("JoinGroup", after(time.Minute, p.friendly))
		p.reply("SyncGroup", after(10*time.Second, p.friendly))
		m.Rejoin("")
		began := time.Now()
		join(t, m)
		beats := p.requests("Heartbeat")
		if len(beats) != 3 || beats[0].at.Sub(began) != time.Minute+3*time.Second {
			t.Errorf("heartbeats: %+v", beats)
		}
	})
}

// G-467: REBALANCE_IN_PROGRESS means nothing to a member that is on its way through one.
func TestHeartbeatDuringSyncDoesNotRejoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("SyncGroup", after(4*time.Second, p.friendly))
		p.reply("Heartbeat", code(protocol.RebalanceInProgress))
		m := newMember(t, p, w, client.Config{})
		if a := join(t, m); a.Generation.ID != 1 || len(p.joins()) != 2 {
			t.Errorf("generation %d after %d JoinGroups", a.Generation.ID, len(p.joins()))
		}
	})
}

// G-463, G-466: an assignment of a generation that ended meanwhile is not used.
func TestAssignmentOfALostGenerationIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("SyncGroup", after(4*time.Second, p.friendly))
		p.reply("Heartbeat", code(protocol.UnknownMemberID))
		m := newMember(t, p, w, client.Config{})
		if a := join(t, m); a.Generation.ID != 2 || a.Generation.MemberID != "member-2" {
			t.Errorf("assigned in %+v", a.Generation)
		}
		wantDiary(t, w, `generation 2: assigned "work of member-2"`)
	})
}

// A heartbeat whose answer comes after the next generation has begun says nothing about that one.
func TestLateHeartbeatAnswerIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		p.reply("Heartbeat", func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
			time.Sleep(time.Second) // deaf to ctx
			return code(protocol.UnknownMemberID)(ctx, req)
		})
		time.Sleep(3*time.Second + 500*time.Millisecond)
		m.Rejoin("")
		join(t, m)
		time.Sleep(time.Second)
		if _, g := m.Standing(); g.ID != 2 || g.MemberID != "member-1" {
			t.Errorf("standing is %+v", g)
		}
	})
}

// A commit that is refused fences the member as a heartbeat does (G-470), but only in its own generation.
func TestRefusedRequestOfAWrapper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		first := join(t, m).Generation
		if !m.Refused("OFFSET_COMMIT", first, protocol.IllegalGeneration) {
			t.Error("the generation is said to be another")
		}
		second := join(t, m).Generation
		if second.ID != 2 || second.MemberID != "member-1" {
			t.Errorf("joined again into %+v", second)
		}
		if reason := *p.joins()[2].Reason; reason != "encountered ILLEGAL_GENERATION from OFFSET_COMMIT response" {
			t.Errorf("reason is %q", reason)
		}
		if m.Refused("OFFSET_COMMIT", first, protocol.UnknownMemberID) {
			t.Error("the old generation is said to be the present one")
		}
		synctest.Wait()
		if _, g := m.Standing(); g != second {
			t.Errorf("standing is %+v", g)
		}
	})
}

// A commit's refusal that arrives while JoinGroup is parked must not leave the coordinator with a member that nobody
// is: the member id in the answer is kept, and joins again.
func TestRefusalDuringAParkedJoinKeepsTheMemberID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		first := join(t, m).Generation
		p.reply("JoinGroup", after(time.Second, p.friendly))
		m.Rejoin("")
		synctest.Wait()
		m.Refused("OFFSET_COMMIT", first, protocol.UnknownMemberID)
		if g := join(t, m).Generation; g.MemberID != "member-1" || g.ID != 3 {
			t.Errorf("joined again into %+v", g)
		}
	})
}
