package saramastrategy_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
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

func TestAListenerIsToldAndCanHaveItsGroupJoinAgain(t *testing.T) {
	var l listener
	var notes []assignor.Note
	onNotes, joined := saramastrategy.OnNotes(func(n []assignor.Note) { notes = append(notes, n...) }), 0
	tell := func(s sarama.BalanceStrategy) {
		s.(sarama.OnAssignmentBalanceStrategy).OnAssignment(
			&sarama.ConsumerGroupMemberAssignment{Topics: map[string][]int32{"b": {3, 1}, "a": {0}}, UserData: []byte("this")}, 5)
	}
	tell(saramastrategy.New(&l, onNotes, saramastrategy.Rejoin(func() { joined++ })))
	if joined != 1 || len(notes) > 0 {
		t.Errorf("has joined %d times; noted %v", joined, notes)
	}
	tell(saramastrategy.New(&l, onNotes))
	if joined != 1 || len(notes) != 1 || !strings.Contains(notes[0].Text, "Rejoin") {
		t.Errorf("has joined %d times; noted %v", joined, notes)
	}
	want := assignor.Assignment{Generation: 5, UserData: []byte("this"), Partitions: []protocol.TopicPartitions{
		{Topic: "a", Partitions: []int32{0}}, {Topic: "b", Partitions: []int32{1, 3}}}}
	if !reflect.DeepEqual(l.told, []assignor.Assignment{want, want}) {
		t.Errorf("told %+v\nwant twice %+v", l.told, want)
	}
}

// told is a strategy that remembers its assignment.
type told struct {
	sarama.BalanceStrategy
	assignment *sarama.ConsumerGroupMemberAssignment
	generation int32
}

func (s *told) OnAssignment(a *sarama.ConsumerGroupMemberAssignment, generation int32) {
	s.assignment, s.generation = a, generation
}

func TestAStrategyIsToldItsAssignment(t *testing.T) {
	s := &told{BalanceStrategy: sarama.NewBalanceStrategyRange()}
	a := saramastrategy.Assignor(func() sarama.BalanceStrategy { return s })
	rejoin, _ := a.(assignor.AssignmentListener).OnAssignment(assignor.Assignment{Generation: 5, UserData: []byte("this"),
		Partitions: []protocol.TopicPartitions{{Topic: "a", Partitions: []int32{1, 2}}}})
	want := &sarama.ConsumerGroupMemberAssignment{Topics: map[string][]int32{"a": {1, 2}}, UserData: []byte("this")}
	if rejoin || s.generation != 5 || !reflect.DeepEqual(s.assignment, want) {
		t.Errorf("told %+v in generation %d; it rejoins: %t", s.assignment, s.generation, rejoin)
	}
	plain := saramastrategy.Assignor(sarama.NewBalanceStrategyRange).(assignor.AssignmentListener)
	if rejoin, _ := plain.OnAssignment(assignor.Assignment{Generation: 5}); rejoin {
		t.Error("range asks for a rebalance")
	}
}
