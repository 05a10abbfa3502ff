package kgobalancer_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/adapters/kgobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// listener remembers what it is told, and asks for a rebalance each time.
type listener struct {
	assignor.Range
	told []assignor.Assignment
}

func (l *listener) OnAssignment(a assignor.Assignment) (bool, time.Duration) {
	l.told = append(l.told, a)
	return true, 0
}

func (*listener) UserData(last assignor.Assignment) []byte {
	return append([]byte("had "), last.UserData...)
}

func TestWhatTheLeaderAttachedComesBackAsUserData(t *testing.T) {
	l, notes := &listener{}, []assignor.Note(nil)
	b := kgobalancer.New(l, kgobalancer.OnNotes(func(n []assignor.Note) { notes = append(notes, n...) }))
	sent := protocol.NewAssignment(
		protocol.TopicPartitions{Topic: "b", Partitions: []int32{2, 0}}, protocol.TopicPartitions{Topic: "a", Partitions: []int32{1}})
	sent.UserData = []byte("this")

	assigned, err := b.ParseSyncAssignment(sent.AppendTo(nil))
	if want := map[string][]int32{"a": {1}, "b": {2, 0}}; err != nil || !maps.EqualFunc(assigned, want, slices.Equal) {
		t.Fatalf("assigned %v, %v", assigned, err)
	}
	want := assignor.Assignment{Generation: -1, UserData: []byte("this"), Partitions: []protocol.TopicPartitions{
		{Topic: "a", Partitions: []int32{1}}, {Topic: "b", Partitions: []int32{0, 2}}}}
	if !reflect.DeepEqual(l.told, []assignor.Assignment{want}) {
		t.Errorf("told %+v\nwant %+v", l.told, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "kgo.WithHooks") {
		t.Errorf("who wanted a rebalance and gets none is told %v", notes)
	}
	got, err := protocol.DecodeSubscription(b.JoinGroupMetadata([]string{"a", "b"}, assigned, 7))
	if err != nil || string(got.UserData) != "had this" {
		t.Errorf("then it sends %q, %v", got.UserData, err)
	}

	if assigned, err := b.ParseSyncAssignment(nil); err != nil || len(assigned) > 0 || len(l.told) != 2 || len(l.told[1].Partitions) > 0 {
		t.Errorf("who is left out is assigned %v, %v, and told %+v", assigned, err, l.told)
	}
	if _, err := b.ParseSyncAssignment([]byte("no")); err == nil || len(l.told) != 2 {
		t.Errorf("nonsense is read: %v", err)
	}
}

// reader is a balancer that remembers an assignment as it was sent.
type reader struct {
	kgo.GroupBalancer
	read []byte
}

func (r *reader) ParseSyncAssignment(sent []byte) (map[string][]int32, error) {
	r.read = sent
	return r.GroupBalancer.ParseSyncAssignment(sent)
}

func TestABalancerReadsItsAssignment(t *testing.T) {
	r := &reader{GroupBalancer: kgo.RangeBalancer()}
	a := kgobalancer.Assignor(r).(assignor.AssignmentListener)
	partitions := []protocol.TopicPartitions{{Topic: "a", Partitions: []int32{1, 2}}}
	if rejoin, _ := a.OnAssignment(assignor.Assignment{Generation: 7, Partitions: partitions, UserData: []byte("this")}); rejoin {
		t.Error("it asks for a rebalance")
	}
	if got, err := protocol.DecodeAssignment(r.read); err != nil || !reflect.DeepEqual(got.Partitions, partitions) || string(got.UserData) != "this" {
		t.Errorf("it reads %+v, %v", got, err)
	}
}
