package assignortest_test

import (
	"context"
	"encoding/json"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// echoing is one whose leader attaches to each assignment, as JSON, what is in it. Its members compare that with what they are told.
type echoing struct {
	fake
	t              *testing.T
	listened, told *atomic.Int32
}

func (e echoing) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	if err := e.fake(ctx, p, plan); err != nil {
		return err
	}
	for m := range p.Members {
		owned := map[string][]int32{}
		for topic, partition := range plan.Partitions(m) {
			owned[p.Topics[topic].Name] = append(owned[p.Topics[topic].Name], int32(partition))
		}
		data, _ := json.Marshal(owned)
		plan.SetUserData(m, data)
	}
	return nil
}

func (e echoing) compare(what string, a assignor.Assignment) {
	var want map[string][]int32
	if err := json.Unmarshal(a.UserData, &want); err != nil {
		e.t.Errorf("%s is told user data %q: %v", what, a.UserData, err)
	}
	got := map[string][]int32{}
	for _, tp := range a.Partitions {
		got[tp.Topic] = tp.Partitions
	}
	if !reflect.DeepEqual(got, want) || a.Generation < 0 {
		e.t.Errorf("%s is told %v in generation %d, and the leader has sent %v", what, got, a.Generation, want)
	}
}

func (e echoing) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	e.listened.Add(1)
	e.compare("OnAssignment", a)
	return false, 0
}

// UserData is asked for drawn members too, which have no assignment: what these claim is not compared.
func (e echoing) UserData(last assignor.Assignment) []byte {
	if last.UserData != nil {
		e.told.Add(1)
		e.compare("UserData", last)
	}
	return nil
}

func TestMembersTellWhatTheLeaderHasSent(t *testing.T) {
	e := echoing{turns, t, new(atomic.Int32), new(atomic.Int32)}
	assignortest.Check(t, e)
	if e.listened.Load() < 100 || e.told.Load() < 100 {
		t.Errorf("OnAssignment was called %d times, UserData with the user data of an assignment %d times", e.listened.Load(), e.told.Load())
	}
}
