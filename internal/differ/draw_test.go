package differ

import (
	"slices"
	"testing"
	"testing/synctest"
)

// recordOurs records the schedule of a seed on our server, which needs no Kafka and is the same each time.
func recordOurs(t *testing.T, seed uint64) (s schedule) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		if s, err = (run{target: startServer(t), inTurn: true}).record(t.Context(), seed); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestASeedDrawsTheSameScheduleEachTime(t *testing.T) {
	for seed := range uint64(20) {
		if one, two := recordOurs(t, seed), recordOurs(t, seed); one.String() != two.String() {
			t.Errorf("seed %d: first\n%v\nthen\n%v", seed, one, two)
		}
	}
}

func TestSchedulesReachEveryState(t *testing.T) {
	c := newCoverage()
	for seed := range uint64(150) {
		s := recordOurs(t, seed)
		if _, err := serve(t, run{inTurn: true}, s, c); err != nil {
			t.Error(err)
		}
	}
	states := []string{"Dead", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable"}
	for _, api := range []string{"JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "OffsetCommit", "OffsetFetch", "DescribeGroups",
		"ListGroups", "DeleteGroups", "OffsetDelete"} {
		var met []string
		for m := range c.counts {
			if m.api == api {
				met = append(met, m.state)
			}
		}
		for _, state := range states {
			if !slices.Contains(met, state) {
				t.Errorf("no %s met a group that is %s", api, state)
			}
		}
	}
}
