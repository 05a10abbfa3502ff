package coordinator_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// awayStore is a slowStore that cannot be opened while it is away.
type awayStore struct {
	*slowStore
	away atomic.Bool
}

func (s *awayStore) Open(ctx context.Context, partition int32) (coordinator.Log, error) {
	if s.away.Load() {
		return nil, errors.New("the store is away")
	}
	return s.slowStore.Open(ctx, partition)
}

// TestRequestsWhileLoading shows what is answered while a partition is loading, which takes as long as its store is away.
func TestRequestsWhileLoading(t *testing.T) { // G-029 to G-032, G-182, G-289, G-309
	synctest.Test(t, func(t *testing.T) {
		store := &awayStore{slowStore: newSlowStore()}
		c := start(t, coordinator.Config{Store: store, Partitions: 1})
		p := connect(t, c, "client")
		joined := p.stable()
		store.hold = true
		go p.commit(joined, "t", 5)
		synctest.Wait()
		store.away.Store(true)
		store.finish(errors.New("the connection broke"))
		synctest.Wait()

		another := *joined
		another.Generation++
		for _, of := range []*kmsg.JoinGroupResponse{joined, &another} { // it is not looked at
			if code := p.heartbeat(of); code != protocol.None {
				t.Errorf("heartbeat: %v", code)
			}
		}
		sync := ask[*kmsg.SyncGroupResponse](p, syncRequest(joined))
		wantCode(t, "sync", sync.ErrorCode, protocol.RebalanceInProgress)
		join := ask[*kmsg.JoinGroupResponse](p, joinRequest(joined.MemberID))
		wantCode(t, "join", join.ErrorCode, protocol.CoordinatorLoadInProgress)
		if join.MemberID != joined.MemberID {
			t.Errorf("join is answered to member %q", join.MemberID)
		}
		if code := p.commit(joined, "t", 5); code != protocol.CoordinatorLoadInProgress {
			t.Errorf("commit: %v", code)
		}
		leave := kmsg.NewPtrLeaveGroupRequest()
		leave.Group = "g"
		wantCode(t, "leave", ask[*kmsg.LeaveGroupResponse](p, leave).ErrorCode, protocol.CoordinatorLoadInProgress)
		fetch := kmsg.NewPtrOffsetFetchRequest()
		fetch.Groups = []kmsg.OffsetFetchRequestGroup{{Group: "g"}}
		wantCode(t, "fetch", ask[*kmsg.OffsetFetchResponse](p, fetch).Groups[0].ErrorCode, protocol.CoordinatorLoadInProgress)
		for version, want := range []protocol.ErrorCode{
			protocol.CoordinatorNotAvailable, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress,
		} {
			resp := handle[*kmsg.TxnOffsetCommitResponse](t, c, int16(version), inTransaction(7, "g", -1, ""))
			wantCode(t, "commit in a transaction", resp.Topics[0].Partitions[0].ErrorCode, want)
		}
		wantCode(t, "delete offsets", handle[*kmsg.OffsetDeleteResponse](t, c, 0, deleteRequest("g", "t")).ErrorCode, protocol.CoordinatorLoadInProgress)
		groups := kmsg.NewPtrDeleteGroupsRequest()
		groups.Groups = []string{"g"}
		wantCode(t, "delete", handle[*kmsg.DeleteGroupsResponse](t, c, 3, groups).Groups[0].ErrorCode, protocol.CoordinatorLoadInProgress)
		if err := c.EndTransaction(t.Context(), 7, true); !errors.Is(err, protocol.CoordinatorLoadInProgress) {
			t.Errorf("end of a transaction: %v", err)
		}

		store.hold = false
		store.away.Store(false)
		time.Sleep(2 * time.Second)
		if code := p.heartbeat(&another); code != protocol.IllegalGeneration {
			t.Errorf("heartbeat of another generation when all is loaded: %v", code)
		}
		if code := p.heartbeat(joined); code != protocol.None {
			t.Errorf("heartbeat when all is loaded: %v", code)
		}
	})
}

// TestRequestsThatWaitForTheStoreAreBounded shows that nothing overtakes the batch of its own group, and that the queue
// behind it has an end. Other groups of the partition go on.
func TestRequestsThatWaitForTheStoreAreBounded(t *testing.T) { // G-127, G-303
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		p := connect(t, start(t, coordinator.Config{Store: store, Partitions: 1, MaxQueued: 2}), "client")
		joined := p.stable()
		store.hold = true
		codes := make(chan protocol.ErrorCode, 3)
		go func() { codes <- p.commit(joined, "t", 5) }()
		synctest.Wait()
		for range 2 {
			go func() { codes <- p.heartbeat(joined) }()
		}
		synctest.Wait()
		if len(codes) > 0 {
			t.Errorf("answered %v before the records are stored", <-codes)
		}
		if code := p.heartbeat(joined); code != protocol.CoordinatorNotAvailable {
			t.Errorf("one request too many: %v", code)
		}
		other := kmsg.NewPtrHeartbeatRequest()
		other.Group = "other"
		wantCode(t, "heartbeat to another group", ask[*kmsg.HeartbeatResponse](p, other).ErrorCode, protocol.UnknownMemberID)
		store.finish(nil)
		for range 3 {
			if code := <-codes; code != protocol.None {
				t.Errorf("when the records are stored: %v", code)
			}
		}
	})
}
