package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// listed returns the ids of all groups.
func listed(t *testing.T, c *coordinator.Coordinator) (ids []string) {
	t.Helper()
	for _, g := range handle[*kmsg.ListGroupsResponse](t, c, 4, kmsg.NewPtrListGroupsRequest()).Groups {
		ids = append(ids, g.Group)
	}
	return ids
}

func TestOffsetsExpireAfterSevenDays(t *testing.T) { // G-194, G-316, G-317
	synctest.Test(t, func(t *testing.T) {
		config := coordinator.Config{Store: coordinator.NewMemoryStore()}
		c := start(t, config)
		p := connect(t, c, "client")
		p.commit(nil, "t", 5)
		time.Sleep(time.Hour)
		p.commit(nil, "later", 6)
		soon := commitRequest(-1, "")
		soon.Topics, soon.RetentionTimeMillis = soon.Topics[:1], (2 * time.Hour).Milliseconds()
		soon.Topics[0].Topic = "soon"
		handle[*kmsg.OffsetCommitResponse](t, c, 4, soon)

		time.Sleep(2*time.Hour + 11*time.Minute) // the sweep comes every 10 minutes
		if got := p.committed("soon"); got != -1 {
			t.Errorf("with its own retention: %d is still there", got)
		}
		time.Sleep(7*24*time.Hour - 4*time.Hour)
		if p.committed("t") != 5 {
			t.Error("expired early")
		}
		time.Sleep(time.Hour)
		if p.committed("t") != -1 || p.committed("later") != 6 {
			t.Error("expired late, or the wrong one")
		}
		if got := listed(t, c); len(got) != 1 {
			t.Errorf("groups %v", got)
		}
		time.Sleep(time.Hour)
		if got := listed(t, c); len(got) != 0 {
			t.Errorf("groups %v have nothing left", got)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if got := listed(t, start(t, config)); len(got) != 0 {
			t.Errorf("groups %v come back", got)
		}
	})
}

func TestOffsetsOfMembersStay(t *testing.T) { // G-319
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{OffsetsRetention: time.Hour, OffsetsRetentionCheckInterval: time.Minute})
		p := connect(t, c, "client")
		subscription := protocol.NewSubscription()
		subscription.Topics = []string{"t"}
		join := joinRequest("")
		join.Protocols[0].Metadata = subscription.AppendTo(nil)
		joined := handle[*kmsg.JoinGroupResponse](t, c, 3, join)
		handle[*kmsg.SyncGroupResponse](t, c, 3, syncRequest(joined))
		p.commit(joined, "t", 5)
		p.commit(joined, "other", 6)
		for range 10 * 60 {
			time.Sleep(9 * time.Second)
			if code := p.heartbeat(joined); code != protocol.None {
				t.Fatal(code)
			}
		}
		if p.committed("t") != 5 || p.committed("other") != -1 {
			t.Error("what members subscribe to expired, or what they do not is still there")
		}
		time.Sleep(11 * time.Second) // their sessions end, and the group is Empty from then on
		time.Sleep(58 * time.Minute)
		if p.committed("t") != 5 {
			t.Error("expired early")
		}
		time.Sleep(3 * time.Minute)
		if got := listed(t, c); len(got) != 0 {
			t.Errorf("groups %v are left", got)
		}
	})
}

func TestGroupsWithoutOffsetsGoWithTheSweep(t *testing.T) { // G-195, G-196
	synctest.Test(t, func(t *testing.T) {
		c := start(t, coordinator.Config{OffsetsRetentionCheckInterval: time.Minute})
		p := connect(t, c, "client")
		join := joinRequest("")
		join.SessionTimeoutMillis = int32((10 * time.Minute).Milliseconds())
		pending := ask[*kmsg.JoinGroupResponse](p, join)
		if got := listed(t, c); len(got) != 1 {
			t.Errorf("groups %v", got)
		}
		time.Sleep(61 * time.Second)
		if got := listed(t, c); len(got) != 0 {
			t.Errorf("groups %v", got)
		}
		join.MemberID = pending.MemberID
		wantCode(t, "join with an id from before the sweep", ask[*kmsg.JoinGroupResponse](p, join).ErrorCode, protocol.UnknownMemberID)
	})
}

func TestSweepComesAgainWhenTheStoreRefusedIt(t *testing.T) { // G-307
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		c := start(t, coordinator.Config{Store: store, OffsetsRetention: time.Hour, OffsetsRetentionCheckInterval: time.Minute})
		p := connect(t, c, "client")
		p.commit(nil, "t", 5)
		store.setHold(true)
		time.Sleep(61*time.Minute + time.Second)
		synctest.Wait()
		store.finish(coordinator.ErrRefused)
		if got := p.committed("t"); got != 5 {
			t.Errorf("offset %d", got)
		}
		store.setHold(false)
		time.Sleep(time.Minute)
		if got := listed(t, c); len(got) != 0 {
			t.Errorf("groups %v are left", got)
		}
	})
}
