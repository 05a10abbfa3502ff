package coordinator_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// start returns a coordinator without an initial delay, closed at the end of the test.
func start(t testing.TB, config coordinator.Config) *coordinator.Coordinator {
	t.Helper()
	if config.InitialRebalanceDelay == 0 {
		config.InitialRebalanceDelay = -1
	}
	c, err := coordinator.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// peer is a client by hand: one session, each request checked for its type.
type peer struct {
	t       testing.TB
	session protocol.Session
}

func connect(t testing.TB, c *coordinator.Coordinator, clientID string) peer {
	t.Helper()
	session, err := c.Open(t.Context(), protocol.Identity{ClientID: clientID})
	if err != nil {
		t.Fatal(err)
	}
	return peer{t, session}
}

func ask[R kmsg.Response](p peer, req kmsg.Request) R {
	p.t.Helper()
	resp, err := p.session.Request(p.t.Context(), req)
	if err != nil {
		p.t.Fatalf("%T: %v", req, err)
	}
	return resp.(R)
}

func joinRequest(member string) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.ProtocolType = "g", member, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 10_000, 30_000
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = "range", []byte("topics")
	req.Protocols = append(req.Protocols, p)
	return req
}

// join joins as KIP-394 says: once for the id, once with it.
func (p peer) join() *kmsg.JoinGroupResponse {
	p.t.Helper()
	first := ask[*kmsg.JoinGroupResponse](p, joinRequest(""))
	if code := protocol.ErrorCode(first.ErrorCode); code != protocol.MemberIDRequired {
		p.t.Fatalf("first join: %v", code)
	}
	return ask[*kmsg.JoinGroupResponse](p, joinRequest(first.MemberID))
}

func syncRequest(joined *kmsg.JoinGroupResponse) *kmsg.SyncGroupRequest {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = "g", joined.MemberID, joined.Generation
	req.ProtocolType, req.Protocol = joined.ProtocolType, joined.Protocol
	for _, m := range joined.Members {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = m.MemberID, []byte("for "+m.MemberID)
		req.GroupAssignment = append(req.GroupAssignment, a)
	}
	return req
}

func (p peer) heartbeat(joined *kmsg.JoinGroupResponse) protocol.ErrorCode {
	p.t.Helper()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = "g", joined.MemberID, joined.Generation
	return protocol.ErrorCode(ask[*kmsg.HeartbeatResponse](p, req).ErrorCode)
}

// stable makes p the only member of a Stable group.
func (p peer) stable() *kmsg.JoinGroupResponse {
	p.t.Helper()
	joined := p.join()
	synced := ask[*kmsg.SyncGroupResponse](p, syncRequest(joined))
	if code := protocol.ErrorCode(synced.ErrorCode); code != protocol.None {
		p.t.Fatalf("sync: %v", code)
	}
	return joined
}

func (p peer) commit(joined *kmsg.JoinGroupResponse, topic string, offset int64) protocol.ErrorCode {
	p.t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = "g", -1
	if joined != nil {
		req.MemberID, req.Generation = joined.MemberID, joined.Generation
	}
	part := kmsg.NewOffsetCommitRequestTopicPartition()
	part.Offset = offset
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	return protocol.ErrorCode(ask[*kmsg.OffsetCommitResponse](p, req).Topics[0].Partitions[0].ErrorCode)
}

// committed returns the offset of partition 0, or -1.
func (p peer) committed(topic string) int64 {
	p.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.Partitions = topic, []int32{0}
	g.Group, g.Topics = "g", append(g.Topics, t)
	req.Groups = append(req.Groups, g)
	return ask[*kmsg.OffsetFetchResponse](p, req).Groups[0].Topics[0].Partitions[0].Offset
}

func TestMemberJoinsSyncsAndIsExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{})
		p := connect(t, c, "client")
		joined := p.stable()
		if joined.LeaderID != joined.MemberID || joined.Generation != 1 || len(joined.Members) != 1 {
			t.Errorf("joined as %+v", joined)
		}
		time.Sleep(9 * time.Second)
		if code := p.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat: %v", code)
		}
		time.Sleep(9 * time.Second)
		if code := p.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat after 18 s: %v", code)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		if code := p.heartbeat(joined); code != protocol.UnknownMemberID {
			t.Errorf("heartbeat after the session: %v", code)
		}
	})
}

func TestParkedJoinIsAnsweredByTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{})
		a, b := connect(t, c, "a"), connect(t, c, "b")
		first := a.stable()
		second := make(chan *kmsg.JoinGroupResponse)
		go func() { second <- b.join() }()
		synctest.Wait()
		if code := a.heartbeat(first); code != protocol.RebalanceInProgress {
			t.Errorf("heartbeat during the rebalance: %v", code)
		}
		again := ask[*kmsg.JoinGroupResponse](a, joinRequest(first.MemberID))
		follower := <-second
		if again.Generation != 2 || follower.Generation != 2 || follower.LeaderID != first.MemberID || len(again.Members) != 2 {
			t.Errorf("leader %+v, follower %+v", again, follower)
		}
	})
}

func TestRequestOfACancelledContextReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{InitialRebalanceDelay: time.Hour})
		p := connect(t, c, "client")
		first := ask[*kmsg.JoinGroupResponse](p, joinRequest(""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.session.Request(ctx, joinRequest(first.MemberID)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestSupersededJoinReturnsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{InitialRebalanceDelay: time.Minute})
		p := connect(t, c, "client")
		first := ask[*kmsg.JoinGroupResponse](p, joinRequest(""))
		result := make(chan error, 1)
		go func() {
			_, err := p.session.Request(t.Context(), joinRequest(first.MemberID))
			result <- err
		}()
		synctest.Wait()
		second := ask[*kmsg.JoinGroupResponse](p, joinRequest(first.MemberID))
		if err := <-result; !errors.Is(err, coordinator.ErrSuperseded) {
			t.Errorf("error %v", err)
		}
		if second.Generation != 1 {
			t.Errorf("the later join is answered %+v", second)
		}
	})
}

func TestClosedSessionAndCoordinatorEndRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{InitialRebalanceDelay: time.Hour})
		results := make(chan any)
		park := func(p peer) {
			first := ask[*kmsg.JoinGroupResponse](p, joinRequest(""))
			go func() {
				resp, err := p.session.Request(t.Context(), joinRequest(first.MemberID))
				if err != nil {
					results <- err
					return
				}
				results <- protocol.ErrorCode(resp.(*kmsg.JoinGroupResponse).ErrorCode)
			}()
			synctest.Wait()
		}
		a, b := connect(t, c, "a"), connect(t, c, "b")
		park(a)
		park(b)
		if err := a.session.Close(); err != nil {
			t.Error(err)
		}
		if got := <-results; got != coordinator.ErrClosed {
			t.Errorf("after the session was closed: %v", got)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if got := <-results; got != protocol.NotCoordinator {
			t.Errorf("after the coordinator was closed: %v", got)
		}
		if _, err := b.session.Request(t.Context(), joinRequest("")); !errors.Is(err, coordinator.ErrClosed) {
			t.Errorf("a later request: %v", err)
		}
		if _, err := c.Open(t.Context(), protocol.Identity{}); !errors.Is(err, coordinator.ErrClosed) {
			t.Errorf("a later session: %v", err)
		}
	})
}
