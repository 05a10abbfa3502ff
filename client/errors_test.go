package client_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

func goroutines() int { return runtime.NumGoroutine() }

// every code that the tables below do not list must be final.
func others(listed map[protocol.ErrorCode]bool) []protocol.ErrorCode {
	var codes []protocol.ErrorCode
	for c := protocol.ErrorCode(-1); c < 135; c++ {
		if c != protocol.None && !listed[c] {
			codes = append(codes, c)
		}
	}
	return append(codes, 12345)
}

// rejoin is how a member joins again after a refusal.
type rejoin struct {
	pause    time.Duration
	memberID string // in the next JoinGroup
	reason   string
}

func (want rejoin) check(t *testing.T, refused, next sent) {
	t.Helper()
	if pause := next.at.Sub(refused.at); pause != want.pause {
		t.Errorf("paused for %v, want %v", pause, want.pause)
	}
	req := next.req.(*kmsg.JoinGroupRequest)
	if req.MemberID != want.memberID || *req.Reason != want.reason {
		t.Errorf("joined again as %q because %q, want %q because %q", req.MemberID, *req.Reason, want.memberID, want.reason)
	}
}

// G-465, row by row, with the pauses of G-461 and the reasons of G-484: the answer comes to the JoinGroup with which a
// stable member follows a rebalance.
func TestJoinGroupErrors(t *testing.T) {
	rows := map[protocol.ErrorCode]rejoin{
		protocol.CoordinatorLoadInProgress: {100 * time.Millisecond, "member-1", "rebalance failed due to CoordinatorLoadInProgressException"},
		protocol.CoordinatorNotAvailable:   {100 * time.Millisecond, "member-1", "rebalance failed due to CoordinatorNotAvailableException"},
		protocol.NotCoordinator:            {100 * time.Millisecond, "member-1", "rebalance failed due to NotCoordinatorException"},
		protocol.UnknownMemberID:           {0, "", "rebalance failed due to UnknownMemberIdException"},
		protocol.RebalanceInProgress:       {0, "member-1", "rebalance failed due to RebalanceInProgressException"},
		protocol.MemberIDRequired:          {0, "another", "need to re-join with the given member-id: another"},
	}
	listed := make(map[protocol.ErrorCode]bool)
	for c, row := range rows {
		listed[c] = true
		t.Run(c.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := newPeer(), newWork()
				m := newMember(t, p, w, client.Config{})
				join(t, m)
				p.reply("JoinGroup", func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
					resp, err := code(c)(ctx, req)
					resp.(*kmsg.JoinGroupResponse).MemberID = "another"
					return resp, err
				})
				m.Rejoin("a test")
				a := join(t, m)
				sent := p.requests("JoinGroup")
				row.check(t, sent[2], sent[3])
				if a.Generation.ID != 2 {
					t.Errorf("generation is %d", a.Generation.ID)
				}
			})
		})
	}
	t.Run("others are final", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for _, c := range others(listed) {
				p, w := newPeer(), newWork()
				p.reply("JoinGroup", p.friendly, code(c))
				m := newMember(t, p, w, client.Config{})
				_, err := m.Join(t.Context()).Wait(t.Context())
				wantErr(t, err, c, `group "g"`, "JoinGroup", c.Error())
				<-m.Done()
				wantErr(t, m.Err(), c)
			}
		})
	})
}

// Errors name the field that they are about, and the cure.
func TestFinalErrorsNameTheField(t *testing.T) {
	for c, words := range map[protocol.ErrorCode][]string{
		protocol.InvalidSessionTimeout:     {"SessionTimeout is 45s", "group.min.session.timeout.ms"},
		protocol.InconsistentGroupProtocol: {`protocol type is "work"`, `["fair"]`, "all of them list"},
		protocol.FencedInstanceID:          {`InstanceID is "i"`, "instance id of its own"},
		protocol.InvalidGroupID:            {`group "g"`, "choose one that is not empty"},
		protocol.GroupAuthorizationFailed:  {`group "g"`, "grant READ"},
		protocol.GroupMaxSizeReached:       {`group "g"`, "group.max.size"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			p.reply("JoinGroup", code(c))
			_, err := newMember(t, p, w, client.Config{InstanceID: "i"}).Join(t.Context()).Wait(t.Context())
			wantErr(t, err, c, words...)
		})
	}
}

func TestJoinGroupOfAnotherProtocolTypeIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("JoinGroup", p.friendly, func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
			resp, err := p.friendly(ctx, req)
			resp.(*kmsg.JoinGroupResponse).ProtocolType = kmsg.StringPtr("connect")
			return resp, err
		})
		_, err := newMember(t, p, w, client.Config{}).Join(t.Context()).Wait(t.Context())
		wantErr(t, err, protocol.InconsistentGroupProtocol, `"connect"`, `"work"`)
	})
}

// G-466, row by row.
func TestSyncGroupErrors(t *testing.T) {
	rows := map[protocol.ErrorCode]rejoin{
		protocol.CoordinatorNotAvailable: {100 * time.Millisecond, "member-1", "rebalance failed due to CoordinatorNotAvailableException"},
		protocol.NotCoordinator:          {100 * time.Millisecond, "member-1", "rebalance failed due to NotCoordinatorException"},
		protocol.RebalanceInProgress:     {0, "member-1", "rebalance failed due to RebalanceInProgressException"},
		protocol.UnknownMemberID:         {0, "", "rebalance failed due to UnknownMemberIdException"},
		protocol.IllegalGeneration:       {0, "member-1", "rebalance failed due to IllegalGenerationException"},
	}
	listed := make(map[protocol.ErrorCode]bool)
	for c, row := range rows {
		listed[c] = true
		t.Run(c.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := newPeer(), newWork()
				m := newMember(t, p, w, client.Config{})
				p.reply("SyncGroup", code(c))
				a := join(t, m)
				row.check(t, p.requests("SyncGroup")[0], p.requests("JoinGroup")[2])
				if a.Generation.ID != 2 {
					t.Errorf("generation is %d", a.Generation.ID)
				}
				wantDiary(t, w, `generation 2: assigned "work of `+a.Generation.MemberID+`"`)
			})
		})
	}
	t.Run("others are final", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for _, c := range others(listed) { // COORDINATOR_LOAD_IN_PROGRESS among them
				p, w := newPeer(), newWork()
				p.reply("SyncGroup", code(c))
				m := newMember(t, p, w, client.Config{})
				_, err := m.Join(t.Context()).Wait(t.Context())
				wantErr(t, err, c, `group "g"`, "SyncGroup", c.Error())
				<-m.Done()
			}
		})
	})
}

func TestSyncGroupOfAnotherProtocolIsFinal(t *testing.T) {
	for _, change := range []func(*kmsg.SyncGroupResponse){
		func(r *kmsg.SyncGroupResponse) { r.Protocol = kmsg.StringPtr("unfair") },
		func(r *kmsg.SyncGroupResponse) { r.ProtocolType = kmsg.StringPtr("connect") },
	} {
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			p.reply("SyncGroup", func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
				resp, err := p.friendly(ctx, req)
				change(resp.(*kmsg.SyncGroupResponse))
				return resp, err
			})
			_, err := newMember(t, p, w, client.Config{}).Join(t.Context()).Wait(t.Context())
			wantErr(t, err, protocol.InconsistentGroupProtocol)
		})
	}
}

// G-467, row by row: what a stable member does about the answer to its first heartbeat.
func TestHeartbeatErrors(t *testing.T) {
	const (
		beats   = iota // goes on as if nothing had happened
		repeats        // sends the heartbeat again, soon
		rejoins
		ends
	)
	rows := map[protocol.ErrorCode]struct {
		does     int
		memberID string // when it rejoins
		reason   string
		release  string
	}{
		protocol.None:                     {does: beats},
		protocol.CoordinatorNotAvailable:  {does: repeats},
		protocol.NotCoordinator:           {does: repeats},
		protocol.GroupAuthorizationFailed: {does: repeats},
		protocol.UnknownServerError:       {does: repeats},
		protocol.InvalidRequest:           {does: repeats},
		protocol.RebalanceInProgress:      {rejoins, "member-1", "group is already rebalancing", "revoked"},
		protocol.IllegalGeneration:        {rejoins, "member-1", "encountered ILLEGAL_GENERATION from HEARTBEAT response", "lost"},
		protocol.UnknownMemberID:          {rejoins, "", "encountered UNKNOWN_MEMBER_ID from HEARTBEAT response", "lost"},
		protocol.FencedInstanceID:         {does: ends, release: "lost on leaving"},
	}
	for c, row := range rows {
		t.Run(c.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := newPeer(), newWork()
				m := newMember(t, p, w, client.Config{})
				join(t, m)
				p.reply("Heartbeat", code(c))
				time.Sleep(3*time.Second + 500*time.Millisecond)
				synctest.Wait()
				sent := p.requests("Heartbeat", "JoinGroup")[2:]
				switch row.does {
				case beats:
					if len(sent) != 1 {
						t.Errorf("sent %+v", sent)
					}
				case repeats:
					if len(sent) != 2 || sent[1].api != "Heartbeat" || sent[1].at.Sub(sent[0].at) > 150*time.Millisecond {
						t.Errorf("sent %+v", sent)
					}
				case rejoins:
					if len(sent) < 2 || sent[1].api != "JoinGroup" {
						t.Fatalf("sent %+v", sent)
					}
					rejoin{memberID: row.memberID, reason: row.reason}.check(t, sent[0], sent[1])
					if m.State() != client.Stable || w.read()[1] != "generation 1: "+row.release || len(w.read()) != 3 {
						t.Errorf("state is %v; the protocol saw %q", m.State(), w.read())
					}
				case ends:
					<-m.Done()
					wantErr(t, m.Err(), c)
					if w.read()[1] != "generation 1: "+row.release || len(p.requests("LeaveGroup")) != 0 {
						t.Errorf("the protocol saw %q", w.read())
					}
				}
			})
		})
	}
}

// G-468.
func TestErrorsOfLeaveGroupAreNoErrorsOfClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inMember := func(_ context.Context, req kmsg.Request) (kmsg.Response, error) {
			resp := kmsg.NewPtrLeaveGroupResponse()
			member := kmsg.NewLeaveGroupResponseMember()
			member.ErrorCode = int16(protocol.UnknownMemberID)
			resp.Members = append(resp.Members, member)
			return resp, nil
		}
		for _, reply := range []answer{code(protocol.UnknownMemberID), inMember, broken(net.ErrClosed), silence} {
			p, w := newPeer(), newWork()
			var left error
			m := newMember(t, p, w, client.Config{Events: client.Events{Left: func(_ client.Generation, err error) { left = err }}})
			join(t, m)
			p.reply("LeaveGroup", reply)
			if err := m.Close(t.Context()); err != nil || len(p.requests("LeaveGroup")) != 1 {
				t.Errorf("Close: %v after %d LeaveGroups", err, len(p.requests("LeaveGroup")))
			}
			if left == nil {
				t.Error("the event says that the member left")
			}
		}
	})
}

// G-469: a session's error that wraps a code is the answer of the coordinator look-up.
func TestCoordinatorLookUpErrors(t *testing.T) {
	for c := protocol.ErrorCode(-1); c < 135; c++ {
		if c == protocol.None {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			p.reply("JoinGroup", broken(c))
			_, err := newMember(t, p, w, client.Config{}).Join(t.Context()).Wait(t.Context())
			if c.Retriable() {
				if reason := *p.joins()[1].Reason; err != nil || reason != "" {
					t.Errorf("%v: %v; joined because %q", c, err, reason)
				}
				return
			}
			wantErr(t, err, c, `group "g"`)
		})
	}
}

// marked is an error that a session says is permanent, or not.
type marked struct {
	error
	permanent bool
}

func (m marked) Permanent() bool { return m.permanent }
func (m marked) Unwrap() error   { return m.error }

func TestPermanentErrorOfTheSessionIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		wrong := errors.New("not a Kafka broker")
		p.reply("JoinGroup", broken(marked{wrong, false}), broken(marked{wrong, true}))
		m := newMember(t, p, w, client.Config{})
		_, err := m.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, wrong)
		if len(p.joins()) != 2 {
			t.Errorf("%d JoinGroups", len(p.joins()))
		}
	})
}

// G-455: base 2, 20 % jitter, from RetryBackoff to RetryBackoffMax.
func TestLostRequestsAreRetriedWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		p.reply("JoinGroup", slices.Repeat([]answer{broken(net.ErrClosed)}, 8)...)
		var pauses []time.Duration
		m := newMember(t, p, w, client.Config{Events: client.Events{
			Retrying: func(r client.Retrying) { pauses = append(pauses, r.After.Round(time.Millisecond)) },
		}})
		join(t, m)
		if len(pauses) != 8 {
			t.Fatalf("pauses are %v", pauses)
		}
		for i, pause := range pauses {
			around := min(100*time.Millisecond<<i, time.Second)
			if pause < around*8/10 || pause > min(around*12/10, time.Second) {
				t.Errorf("pause %d is %v, want about %v", i, pause, around)
			}
		}
		if reason := *p.joins()[1].Reason; reason != "rebalance failed due to DisconnectException" {
			t.Errorf("reason is %q", reason)
		}
	})
}

func TestClusterThatIsNotThereEndsTheJoinInBoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		refused := errors.New("bootstrap 127.0.0.1:1: connection refused")
		p.reply("JoinGroup", slices.Repeat([]answer{broken(refused)}, 1000)...)
		m := newMember(t, p, w, client.Config{BootstrapTimeout: 10 * time.Second})
		began := time.Now()
		_, err := m.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, refused, "BootstrapTimeout", "10s")
		if took := time.Since(began); took > 10*time.Second || took < 8*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestClusterThatHasAnsweredOnceIsNeverGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		p.reply("JoinGroup", slices.Repeat([]answer{broken(net.ErrClosed)}, 3600)...)
		m.Rejoin("")
		began := time.Now()
		join(t, m)
		if time.Since(began) < 50*time.Minute {
			t.Errorf("took %v", time.Since(began))
		}
	})
}

// Whoever stops waiting learns what stood in the way.
func TestCancelledJoinTellsTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		refused := errors.New("connection refused")
		p.reply("JoinGroup", slices.Repeat([]answer{broken(refused)}, 1000)...)
		m := newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := m.Join(ctx).Wait(t.Context())
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, err, refused, `"g"`)
	})
}

// G-460.
func TestParkedJoinIsGivenUpAfterTheRebalanceTimeout(t *testing.T) {
	for rebalance, want := range map[time.Duration]time.Duration{time.Minute: 65 * time.Second, time.Second: 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			p.reply("JoinGroup", p.friendly, silence)
			m := newMember(t, p, w, client.Config{RebalanceTimeout: rebalance})
			join(t, m)
			sent := p.requests("JoinGroup")
			if waited := sent[2].at.Sub(sent[1].at); waited < want || waited > want+150*time.Millisecond {
				t.Errorf("waited for %v, want %v", waited, want)
			}
			if req := sent[2].req.(*kmsg.JoinGroupRequest); req.MemberID != "member-1" || *req.Reason != "rebalance failed due to DisconnectException" {
				t.Errorf("joined again as %q because %q", req.MemberID, *req.Reason)
			}
		})
	}
}

// A coordinator out of its mind must not make us spin.
func TestEndlessRefusalsSlowDown(t *testing.T) {
	for _, c := range []protocol.ErrorCode{protocol.UnknownMemberID, protocol.MemberIDRequired, protocol.RebalanceInProgress} {
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			p.reply("JoinGroup", slices.Repeat([]answer{code(c)}, 1000)...)
			m := newMember(t, p, w, client.Config{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := m.Join(ctx).Wait(t.Context())
			wantErr(t, err, context.DeadlineExceeded)
			if n := len(p.joins()); n > 100 {
				t.Errorf("%v: %d JoinGroups in a minute", c, n)
			}
		})
	}
}
