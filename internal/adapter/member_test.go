package adapter_test

import (
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/adapter"
	"github.com/joinsync/joinsync/protocol"
)

// listener asks for a rebalance after a while, and remembers what it is told.
type listener struct {
	assignor.Range
	after time.Duration
	never bool
	told  []assignor.Assignment
}

func (l *listener) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	l.told = append(l.told, a)
	return !l.never, l.after
}

func (*listener) UserData(last assignor.Assignment) []byte {
	return append([]byte("had "), last.UserData...)
}

func TestTheAssignorIsToldWhatItsMemberIsAssigned(t *testing.T) {
	l := &listener{never: true}
	m := adapter.NewMember(l)
	if got := m.Last(); got.Generation != -1 || string(m.Join(got)) != "had " {
		t.Errorf("at first it had %+v", got)
	}
	m.Assigned(7, map[string][]int32{"b": {2, 0}, "a": {1}, "c": nil}, []byte("data"), func() { t.Error("joins again") })
	want := assignor.Assignment{Generation: 7, UserData: []byte("data"), Partitions: []protocol.TopicPartitions{
		{Topic: "a", Partitions: []int32{1}}, {Topic: "b", Partitions: []int32{0, 2}}}}
	if !reflect.DeepEqual(l.told, []assignor.Assignment{want}) || !reflect.DeepEqual(m.Last(), want) {
		t.Errorf("told %+v, last %+v\nwant %+v", l.told, m.Last(), want)
	}
	if got := m.Join(m.Last()); string(got) != "had data" {
		t.Errorf("it sends %q", got)
	}

	plain := adapter.NewMember(assignor.Range{})
	plain.Assigned(7, nil, nil, func() { t.Error("joins again") })
	if data := plain.Join(plain.Last()); data != nil {
		t.Errorf("range sends %q", data)
	}
}

func TestAMemberJoinsAgainWhenItsAssignorAsksForIt(t *testing.T) {
	for name, test := range map[string]struct {
		after   time.Duration
		between func(*adapter.Member)
		want    int32
	}{
		"at once":                   {0, nil, 1},
		"later":                     {time.Minute, nil, 1},
		"not if it has joined":      {time.Minute, func(m *adapter.Member) { m.Join(m.Last()) }, 0},
		"once for two assignments":  {time.Minute, func(m *adapter.Member) { m.Assigned(8, nil, nil, func() {}) }, 0},
		"at once, whatever follows": {-1, func(m *adapter.Member) { m.Join(m.Last()) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := adapter.NewMember(&listener{after: test.after})
				var joined atomic.Int32
				m.Assigned(7, nil, nil, func() { joined.Add(1) })
				if atOnce := joined.Load() == 1; atOnce != (test.after <= 0) {
					t.Errorf("has joined at once: %t", atOnce)
				}
				if test.between != nil {
					test.between(m)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if got := joined.Load(); got != test.want {
					t.Errorf("joins %d times, want %d", got, test.want)
				}
			})
		})
	}
}
