package kgotransport_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/protocol"
)

func TestMembersShareOverTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := newCluster(t).transport(t)
		var members []*client.Member
		for range 3 {
			m, err := client.New(transport, shards{}, client.Config{Group: "g"})
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, m)
			m.Join(t.Context())
		}
		time.Sleep(20 * time.Second)
		seen := make(map[string]bool)
		for _, m := range members {
			a, err := m.Join(t.Context()).Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen[string(a.Bytes)] = true
		}
		if !seen["0 of 3"] || !seen["1 of 3"] || !seen["2 of 3"] {
			t.Errorf("assigned %v", seen)
		}
		for i, m := range members {
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Second)
			for _, left := range members[i+1:] {
				if _, g := left.Standing(); left.State() != client.Stable || g.ID < int32(i+2) {
					t.Errorf("after %d have left, one is %v in %+v", i+1, left.State(), g)
				}
			}
		}
	})
}

// G-453: joins wait on a connection of their own.
func TestParkedJoinDelaysNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		transport := c.transport(t)
		if _, err := join(t.Context(), open(t, transport), 60000); err != nil {
			t.Fatal(err)
		}
		s := open(t, transport)
		parked := make(chan error, 1)
		go func() {
			_, err := join(t.Context(), s, 60000) // the other one does not join again
			parked <- err
		}()
		synctest.Wait()
		began := time.Now()
		for _, req := range []kmsg.Request{heartbeat(), kmsg.NewPtrMetadataRequest()} {
			if _, err := s.Request(t.Context(), req); err != nil || time.Since(began) > time.Second {
				t.Errorf("%T: %v after %v", req, err, time.Since(began))
			}
		}
		select {
		case err := <-parked:
			t.Fatalf("the join was not parked: %v", err)
		default:
		}
		if err := <-parked; err != nil {
			t.Error(err)
		}
	})
}

// kgo would give up after its overhead and the rebalance timeout in the request; the group's may be longer.
func TestParkedJoinWaitsAsLongAsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := newCluster(t).transport(t, kgo.RequestTimeoutOverhead(time.Second))
		if _, err := join(t.Context(), open(t, transport), 60000); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		if _, err := join(ctx, open(t, transport), 100); err != nil || time.Since(began) < 30*time.Second {
			t.Errorf("join ended after %v: %v", time.Since(began), err)
		}
	})
}

func TestCancelledJoinReturnsAtOnceAndTheSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := newCluster(t).transport(t)
		if _, err := join(t.Context(), open(t, transport), 60000); err != nil {
			t.Fatal(err)
		}
		s := open(t, transport)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err := join(ctx, s, 60000)
		wantErr(t, err, context.DeadlineExceeded, false, `group "g"`)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if _, err := s.Request(t.Context(), heartbeat()); err != nil {
			t.Error(err)
		}
	})
}

// lookups counts the FindCoordinators of group g.
func lookups(c *cluster) func() int {
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Observe: true, Count: -1})
	return h.Hits
}

func TestCoordinatorIsLookedUpOnceUntilItMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		s := open(t, c.transport(t))
		if _, err := join(t.Context(), s, 60000); err != nil {
			t.Fatal(err)
		}
		s = open(t, c.transport(t))
		count := lookups(c)
		beat := func(wantLookups int, want protocol.ErrorCode) {
			t.Helper()
			resp, err := s.Request(t.Context(), heartbeat())
			if err != nil {
				t.Fatal(err)
			}
			if got := protocol.ErrorCode(resp.(*kmsg.HeartbeatResponse).ErrorCode); got != want || count() != wantLookups {
				t.Errorf("answered %v after %d look-ups, want %v after %d", got, count(), want, wantLookups)
			}
		}
		beat(1, protocol.UnknownMemberID)
		beat(1, protocol.UnknownMemberID)
		for i, moved := range []*kerr.Error{kerr.NotCoordinator, kerr.CoordinatorNotAvailable} {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: moved})
			beat(i+1, protocol.ErrorCode(moved.Code)) // reported as it came, and not retried
			beat(i+2, protocol.UnknownMemberID)
		}
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.CoordinatorLoadInProgress})
		beat(3, protocol.CoordinatorLoadInProgress)
		beat(3, protocol.UnknownMemberID)
	})
}

func TestErrorOfTheLookUpIsTheErrorOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		s := open(t, c.transport(t))
		for code, permanent := range map[*kerr.Error]bool{
			kerr.CoordinatorNotAvailable: false, kerr.GroupAuthorizationFailed: true, kerr.InvalidRequest: true,
		} {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: code, Group: "g"})
			_, err := s.Request(t.Context(), heartbeat())
			wantErr(t, err, code, permanent, `coordinator of group "g"`)
		}
		if _, err := s.Request(t.Context(), heartbeat()); err != nil {
			t.Error(err)
		}
	})
}

// G-458.
func TestLostBrokerMakesTheSessionLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		s := open(t, c.transport(t))
		if _, err := s.Request(t.Context(), heartbeat()); err != nil {
			t.Fatal(err)
		}
		gone := c.CoordinatorFor("g")
		if err := c.RemoveNode(gone); err != nil {
			t.Fatal(err)
		}
		for tries := 1; ; tries++ { // the member's business: a session retries nothing
			_, err := s.Request(t.Context(), heartbeat())
			if err == nil {
				break
			}
			wantErr(t, err, nil, false, "coordinator", `group "g"`)
			if tries == 5 {
				t.Fatal(err)
			}
		}
	})
}

func TestMemberSurvivesTheLossOfItsCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		m, err := client.New(c.transport(t), shards{}, client.Config{Group: "g"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = m.Close(context.Background()) }()
		if _, err := m.Join(t.Context()).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.RemoveNode(c.CoordinatorFor("g")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if m.State() != client.Stable {
			t.Fatalf("the member is %v", m.State())
		}
		info, err := c.WaitGroupStable(t.Context(), "g", 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, g := m.Standing(); info.Members[0].MemberID != g.MemberID {
			t.Errorf("the new coordinator has %+v, and the member is in %+v", info.Members, g)
		}
	})
}

// dropped is a connection whose packets are lost on the way from some moment on.
type dropped struct {
	net.Conn
	lost atomic.Bool
}

func (d *dropped) Write(b []byte) (int, error) {
	if d.lost.Load() {
		return len(b), nil
	}
	return d.Conn.Write(b)
}

// A request that nobody answers must not be sent to the same dead end for ever (G-474).
func TestUnansweredRequestMakesTheSessionLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		count := lookups(c)
		var mu sync.Mutex
		var conns []*dropped
		s := open(t, c.transport(t, kgo.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := c.network.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			conns = append(conns, &dropped{Conn: conn})
			return conns[len(conns)-1], nil
		})))
		if _, err := s.Request(t.Context(), heartbeat()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		for _, conn := range conns {
			conn.lost.Store(true)
		}
		mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := s.Request(ctx, heartbeat())
		wantErr(t, err, context.DeadlineExceeded, false, `group "g"`)
		began := time.Now()
		for {
			if _, err = s.Request(t.Context(), heartbeat()); err == nil {
				break
			}
			if time.Since(began) > time.Minute {
				t.Fatal(err)
			}
		}
		if count() < 2 {
			t.Errorf("%d look-ups", count())
		}
		t.Logf("answered again after %v", time.Since(began))
	})
}

// OffsetCommit and OffsetFetch name topics by id alone from version 10 on, and members speak names.
func TestVersionsAreTheHighestThatBothSidesKnow(t *testing.T) {
	for name, tt := range map[string]struct {
		broker                *kversion.Versions
		commit, fetch, joined int16
	}{
		"new broker": {nil, 9, 9, 9},
		"old broker": {kversion.V2_3_0(), 7, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var opts []kfake.Opt
				if tt.broker != nil {
					opts = append(opts, kfake.MaxVersions(tt.broker))
				}
				s := open(t, newCluster(t, opts...).transport(t))
				commit, fetch := kmsg.NewPtrOffsetCommitRequest(), kmsg.NewPtrOffsetFetchRequest()
				commit.Group, fetch.Group = "g", "g"
				fetch.Groups = append(fetch.Groups, kmsg.OffsetFetchRequestGroup{Group: "g"})
				for req, want := range map[kmsg.Request]int16{commit: tt.commit, fetch: tt.fetch, joinRequest("", 1000): tt.joined} {
					resp, err := s.Request(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					if got := resp.(interface{ GetVersion() int16 }).GetVersion(); got != want {
						t.Errorf("%T is of version %d, want %d", req, got, want)
					}
				}
			})
		})
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := open(t, newCluster(t).transport(t)).Request(t.Context(), kmsg.NewPtrCreateTopicsRequest())
		wantErr(t, err, nil, false, "does not carry CreateTopics")
	})
}

func TestClosedSessionEndsItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := newCluster(t).transport(t)
		if _, err := join(t.Context(), open(t, transport), 60000); err != nil {
			t.Fatal(err)
		}
		s := open(t, transport)
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		if _, err := join(t.Context(), s, 60000); !errors.Is(err, kgo.ErrClientClosed) {
			t.Errorf("the parked join ends with %v", err)
		}
	})
}

func TestNewRefusesOptionsThatConsume(t *testing.T) {
	_, err := kgotransport.New(kgo.SeedBrokers("localhost:9092"), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"))
	wantErr(t, err, nil, false, `ConsumerGroup is "g"`, "leave it out")
	_, err = kgotransport.New(kgo.SeedBrokers())
	wantErr(t, err, nil, false, "seed brokers")
}

func TestOpenReportsAnIllegalClientID(t *testing.T) {
	_, err := newTransport(t, kgo.SeedBrokers("localhost:9092")).Open(t.Context(), protocol.Identity{ClientID: string(make([]byte, 1000))})
	wantErr(t, err, nil, false, "client id")
}
