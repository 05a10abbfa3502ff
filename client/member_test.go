package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

func wantWords(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not mention %q", err, word)
		}
	}
}

func wantDiary(t *testing.T, w *work, want ...string) {
	t.Helper()
	if got := w.read(); !slices.Equal(got, want) {
		t.Errorf("the protocol saw\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// timeline returns Events that write each step into a list.
func timeline(steps *[]string) client.Events {
	add := func(format string, args ...any) { *steps = append(*steps, fmt.Sprintf(format, args...)) }
	return client.Events{
		JoinGroupSent: func(j client.JoinGroupSent) {
			add("JoinGroup of %q offers %v because %q", j.MemberID, j.Offers, j.Reason)
		},
		MemberIDGiven: func(id string) { add("given %s", id) },
		Joined: func(j client.Joined) {
			add("joined generation %d under %s, leader %s of %d", j.Generation.ID, j.Generation.Protocol, j.Leader, j.Members)
		},
		AssignmentComputed: func(a client.AssignmentComputed) { add("computed %d assignments in %d bytes", a.Members, a.Bytes) },
		SyncGroupSent:      func(g client.Generation) { add("SyncGroup of generation %d", g.ID) },
		Synced:             func(a client.Assignment) { add("synced %q", a.Bytes) },
		Assigned:           func(a client.Assignment) { add("assigned %q, leader %v", a.Bytes, a.Leader) },
		RejoinNeeded:       func(r client.RejoinNeeded) { add("leaves generation %d because %s", r.Generation.ID, r.Reason) },
		Released:           func(r client.Release) { add("released generation %d, lost %v", r.Generation.ID, r.Lost) },
		Retrying:           func(r client.Retrying) { add("retries after %v: %v", r.After, r.Err) },
		Left:               func(g client.Generation, err error) { add("left generation %d: %v", g.ID, err) },
		Ended:              func(err error) { add("ended: %v", err) },
	}
}

// The states and the generation that a member goes through are those of G-451 and G-452.
func TestJoinTakesSevenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		var steps []string
		m := newMember(t, p, w, client.Config{Events: timeline(&steps)})
		a := join(t, m)
		if want := (client.Generation{ID: 1, MemberID: "member-1", Protocol: "fair"}); a.Generation != want || !a.Leader {
			t.Errorf("assignment is %+v, want leader in %+v", a, want)
		}
		if state, g := m.Standing(); state != client.Stable || g != a.Generation {
			t.Errorf("standing is %v in %+v", state, g)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		want := []string{
			`JoinGroup of "" offers [fair] because ""`,
			`given member-1`,
			`JoinGroup of "member-1" offers [fair] because "need to re-join with the given member-id: member-1"`,
			`joined generation 1 under fair, leader member-1 of 1`,
			`computed 1 assignments in 16 bytes`,
			`SyncGroup of generation 1`,
			`synced "work of member-1"`,
			`assigned "work of member-1", leader true`,
			`released generation 1, lost false`,
			`left generation 1: <nil>`,
			`ended: <nil>`,
		}
		if !slices.Equal(steps, want) {
			t.Errorf("steps are\n\t%s\nwant\n\t%s", strings.Join(steps, "\n\t"), strings.Join(want, "\n\t"))
		}
		if p.closed != 1 {
			t.Errorf("the session was closed %d times", p.closed)
		}
	})
}

// G-459, with the default client id of G-525.
func TestJoinGroupCarriesTheConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{
			Group: "orders", InstanceID: "pod-3", SessionTimeout: 20 * time.Second, RebalanceTimeout: 40 * time.Second,
		})
		join(t, m)
		req := p.joins()[0]
		if req.Group != "orders" || *req.InstanceID != "pod-3" || req.SessionTimeoutMillis != 20000 ||
			req.RebalanceTimeoutMillis != 40000 || req.ProtocolType != "work" || req.Protocols[0].Name != "fair" ||
			string(req.Protocols[0].Metadata) != "me" || *req.Reason != "" {
			t.Errorf("JoinGroup is %+v", req)
		}
		if got := m.Config().ClientID; got != "work-orders-pod-3" {
			t.Errorf("client id is %q", got)
		}
	})
}

// A follower sends an empty list with SyncGroup (G-505), and is not asked to assign.
func TestFollowerOnlySyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		w.perform = func(context.Context, client.Election) (map[string][]byte, error) {
			t.Error("a follower was asked to assign")
			return nil, nil
		}
		p.reply("JoinGroup", code(protocol.MemberIDRequired), func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
			resp, err := p.friendly(ctx, req)
			resp.(*kmsg.JoinGroupResponse).MemberID = "me"
			resp.(*kmsg.JoinGroupResponse).LeaderID = "somebody else"
			resp.(*kmsg.JoinGroupResponse).Members = nil
			resp.(*kmsg.JoinGroupResponse).ErrorCode = 0
			resp.(*kmsg.JoinGroupResponse).Protocol = kmsg.StringPtr("fair")
			return resp, err
		})
		m := newMember(t, p, w, client.Config{})
		if a := join(t, m); a.Leader {
			t.Error("the follower leads")
		}
		if sync := p.requests("SyncGroup")[0].req.(*kmsg.SyncGroupRequest); len(sync.GroupAssignment) != 0 || sync.MemberID != "me" {
			t.Errorf("SyncGroup is %+v", sync)
		}
	})
}

// KIP-814: the static leader is back and the coordinator has the assignment (G-500).
func TestSkippedAssignmentIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		asked := 0
		w.perform = func(_ context.Context, e client.Election) (map[string][]byte, error) {
			asked++
			if !e.Skip {
				t.Error("the protocol is not told to skip")
			}
			return map[string][]byte{"x": nil}, nil
		}
		p.reply("JoinGroup", func(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
			resp, err := p.friendly(ctx, req)
			resp.(*kmsg.JoinGroupResponse).SkipAssignment = true
			return resp, err
		})
		join(t, newMember(t, p, w, client.Config{InstanceID: "i"}))
		if sync := p.requests("SyncGroup")[0].req.(*kmsg.SyncGroupRequest); asked != 1 || len(sync.GroupAssignment) != 0 {
			t.Errorf("asked %d times, SyncGroup is %+v", asked, sync)
		}
	})
}

func TestJoinOfAStableMemberIsItsAssignment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		first := join(t, m)
		if again := join(t, m); again.Generation != first.Generation || len(p.joins()) != 2 {
			t.Errorf("joined again into %+v with %d JoinGroups", again, len(p.joins()))
		}
	})
}

// G-490.
func TestRejoinReleasesAndJoinsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		m.Rejoin("too early") // no effect
		join(t, m)
		m.Rejoin("")
		if a := join(t, m); a.Generation.ID != 2 || a.Generation.MemberID != "member-1" {
			t.Errorf("joined again into %+v", a.Generation)
		}
		if reason := *p.joins()[2].Reason; reason != "rebalance enforced by user" {
			t.Errorf("reason is %q", reason)
		}
		wantDiary(t, w, `generation 1: assigned "work of member-1"`, `generation 1: revoked`, `generation 2: assigned "work of member-1"`)
	})
}

// G-494, G-492: a Protocol that keeps its assignment is asked again before every further JoinGroup, and what it keeps is lost with
// the membership.
func TestWhatIsKeptIsReleasedInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		w.keeps = true
		var released []client.Release
		m := newMember(t, p, w, client.Config{Events: client.Events{Released: func(r client.Release) { released = append(released, r) }}})
		join(t, m)
		p.reply("SyncGroup", code(protocol.RebalanceInProgress), code(protocol.UnknownMemberID))
		m.Rejoin("")
		join(t, m)
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wantDiary(t, w,
			`generation 1: assigned "work of member-1"`,
			`generation 1: revoked or kept`,
			`generation 1: revoked or kept`,
			`generation 1: lost or kept`,
			`generation 4: assigned "work of member-2"`,
			`generation 4: revoked on leaving or kept`,
		)
		if len(released) != 2 || !released[0].Lost || !released[1].Leaving {
			t.Errorf("events of the releases: %+v", released)
		}
	})
}

// The futures of Join complete only once nothing is pending, so that nobody is told of an assignment that ends at once.
func TestRejoinFromAssignedIsPartOfTheJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		var m *client.Member
		w.assign = func(_ context.Context, a client.Assignment) error {
			if a.Generation.ID == 1 {
				m.Rejoin("received assignment does not match the current subscription")
			}
			return nil
		}
		m = newMember(t, p, w, client.Config{})
		if a := join(t, m); a.Generation.ID != 2 {
			t.Errorf("the future completed with generation %d", a.Generation.ID)
		}
	})
}

func TestWrongOffersEndTheMember(t *testing.T) {
	offer := client.Offer{Name: "fair"}
	for _, tt := range []struct {
		offers []client.Offer
		words  []string
	}{
		{nil, []string{"no protocol is offered", "list at least one"}},
		{[]client.Offer{offer, offer}, []string{`"fair"`, "twice", "list each protocol once"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, w := newPeer(), newWork()
			w.offers = tt.offers
			m := newMember(t, p, w, client.Config{})
			_, err := m.Join(t.Context()).Wait(t.Context())
			wantWords(t, err, append(tt.words, `"g"`)...)
			if len(p.requests()) != 0 {
				t.Errorf("requests were sent: %v", p.requests())
			}
		})
	}
}

func TestFailureOfTheLeadersWorkReachesTheJoinFutureAndTheMemberLeaves(t *testing.T) {
	errWork := errors.New("the plan is incomplete")
	for name, perform := range map[string]func(context.Context, client.Election) (map[string][]byte, error){
		"fails":  func(context.Context, client.Election) (map[string][]byte, error) { return nil, errWork },
		"panics": func(context.Context, client.Election) (map[string][]byte, error) { panic(errWork) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := newPeer(), newWork()
				w.perform = perform
				m := newMember(t, p, w, client.Config{})
				_, err := m.Join(t.Context()).Wait(t.Context())
				wantWords(t, err, errWork.Error(), `"g"`)
				<-m.Done()
				if !errors.Is(m.Err(), err) {
					t.Errorf("Err is %v, want %v", m.Err(), err)
				}
				if leaves := p.requests("LeaveGroup"); len(leaves) != 1 {
					t.Errorf("%d LeaveGroups", len(leaves))
				}
				if _, again := m.Join(t.Context()).Wait(t.Context()); !errors.Is(again, err) {
					t.Errorf("a later Join ends with %v", again)
				}
			})
		})
	}
}

func TestLeadersWorkIsBoundedByTheRebalanceTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		w.perform = func(ctx context.Context, _ client.Election) (map[string][]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		m := newMember(t, p, w, client.Config{RebalanceTimeout: 10 * time.Second})
		began := time.Now()
		_, err := m.Join(t.Context()).Wait(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Errorf("ended after %v with %v", time.Since(began), err)
		}
		if beats := p.requests("Heartbeat"); len(beats) != 3 { // G-473
			t.Errorf("%d heartbeats while the leader worked, want 3", len(beats))
		}
	})
}

func TestErrorOfAssignedEndsTheMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		unreadable := errors.New("unreadable")
		w.assign = func(context.Context, client.Assignment) error { return unreadable }
		m := newMember(t, p, w, client.Config{})
		_, err := m.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, unreadable, `"g"`)
		<-m.Done()
		wantDiary(t, w, `generation 1: assigned "work of member-1"`, `generation 1: revoked on leaving`)
	})
}

// Who is fenced while it releases its assignment must not join with its instance id: that would take its place back.
func TestFencedWhileItReleasesItDoesNotJoinAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{InstanceID: "pod-3"})
		join(t, m)
		w.release = func(context.Context, client.Release) { time.Sleep(5 * time.Second) }
		p.reply("Heartbeat", code(protocol.FencedInstanceID))
		m.Rejoin("")
		<-m.Done()
		wantErr(t, m.Err(), protocol.FencedInstanceID, "pod-3")
		if joins := len(p.joins()); joins != 1 {
			t.Errorf("%d JoinGroups", joins)
		}
		wantDiary(t, w, `generation 1: assigned "work of member-1"`, `generation 1: revoked`)
	})
}

// Likewise, what is kept is lost before the next JoinGroup, if the member was thrown out meanwhile.
func TestThrownOutWhileItKeepsItsAssignment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		w.keeps = true
		w.release = func(_ context.Context, r client.Release) {
			if !r.Lost {
				time.Sleep(5 * time.Second)
			}
		}
		p.reply("Heartbeat", code(protocol.IllegalGeneration))
		m.Rejoin("")
		join(t, m)
		wantDiary(t, w,
			`generation 1: assigned "work of member-1"`,
			`generation 1: revoked or kept`,
			`generation 1: lost or kept`,
			`generation 2: assigned "work of member-1"`,
		)
	})
}

// A Protocol that panics in Release is not asked again: the member ends with what it panicked with, and leaves.
func TestPanicInReleaseEndsTheMember(t *testing.T) {
	for name, release := range map[string]func(t *testing.T, m *client.Member){
		"joining again": func(t *testing.T, m *client.Member) { m.Rejoin("") },
		"closing":       func(t *testing.T, m *client.Member) { go m.Close(t.Context()) },
	} {
		for _, keeps := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, keeps %v", name, keeps), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p, w := newPeer(), newWork()
					w.keeps = keeps
					m := newMember(t, p, w, client.Config{})
					join(t, m)
					releases := 0
					w.release = func(context.Context, client.Release) { releases++; panic("no way") }
					release(t, m)
					<-m.Done()
					wantWords(t, m.Err(), `"g"`, "Release", "no way")
					if left := len(p.requests("LeaveGroup")); releases != 1 || left != 1 || p.closed != 1 {
						t.Errorf("%d releases, %d LeaveGroups, %d sessions closed", releases, left, p.closed)
					}
				})
			})
		}
	}
}

// Likewise, when the join is given up after something was kept.
func TestPanicInReleaseEndsAJoinThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		var m *client.Member
		w.keeps = true
		w.assign = func(context.Context, client.Assignment) error {
			m.Rejoin("")
			p.reply("JoinGroup", silence)
			return nil
		}
		w.release = func(_ context.Context, r client.Release) {
			if r.Leaving {
				panic("no way")
			}
		}
		m = newMember(t, p, w, client.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := m.Join(ctx).Wait(t.Context())
		wantErr(t, err, context.DeadlineExceeded)
		<-m.Done()
		wantWords(t, m.Err(), `"g"`, "Release", "no way")
	})
}

// The assignment may take long to give up: heartbeats go on meanwhile.
func TestHeartbeatsGoOnWhileTheProtocolWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := newPeer(), newWork()
		w.release = func(context.Context, client.Release) { time.Sleep(30 * time.Second) }
		m := newMember(t, p, w, client.Config{})
		join(t, m)
		m.Rejoin("")
		join(t, m)
		if beats := len(p.requests("Heartbeat")); beats < 9 {
			t.Errorf("%d heartbeats in 30 seconds", beats)
		}
	})
}

func TestIdleMembersCostTwoGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := goroutines()
		const n = 1000
		var futures []*client.Future[client.Assignment]
		var members []*client.Member
		for range n {
			m := newMember(t, newPeer(), newWork(), client.Config{})
			futures, members = append(futures, m.Join(t.Context())), append(members, m)
		}
		for _, f := range futures {
			if _, err := f.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(30 * time.Second) // ten heartbeats each
		synctest.Wait()
		if each := float64(goroutines()-before) / n; each > 2 {
			t.Errorf("%.2f goroutines for each idle member", each)
		}
		for _, m := range members {
			if m.State() != client.Stable {
				t.Fatal("a member is not stable")
			}
		}
	})
}
