package kafkagobalancer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// twins is an assignor that fails where, in kafka-go, it does not send what it sends by itself, of what kafka-go tells it.
type twins struct{ assignor.Assignor }

func (t twins) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	told, err := whatIsTold(p)
	if err != nil {
		return err
	}
	want, err := assignor.Run(ctx, t.Assignor, told)
	if err != nil {
		return err
	}
	sent := map[string][]byte{}
	for m, member := range told.Members {
		sent[member.ID] = want.Append(nil, m)
	}
	var failed error
	there, err := kafkagobalancer.Assignor(kafkagobalancer.New(t.Assignor, func(err error) { failed = err }))
	if err != nil {
		return err
	}
	if err := errors.Join(there.Assign(ctx, p, plan), failed); err != nil {
		return err
	}
	for m, member := range p.Members {
		if got := plan.Append(nil, m); !bytes.Equal(got, sent[member.ID]) {
			return fmt.Errorf("%s is sent %x in kafka-go, not %x", member.ID, got, sent[member.ID])
		}
	}
	return nil
}

// whatIsTold is a problem without instance ids, claims, generations, and racks of members. It has those of brokers.
func whatIsTold(p *assignor.Problem) (*assignor.Problem, error) {
	var join assignor.Join
	for m, member := range p.Members {
		s := protocol.NewSubscription(p.Subscription(m).Topics...)
		s.UserData = member.UserData
		join.Members = append(join.Members, assignor.JoinedMember{ID: member.ID, Metadata: s.AppendTo(nil)})
	}
	group, err := assignor.Decode(join)
	if err != nil {
		return nil, err
	}
	return group.Problem(assignor.Cluster{Topics: p.Topics, Racks: p.Racks})
}

// From our interface into kafka-go's and back, an assignor sends what it sends without that, whatever members send.
func TestAssignorsAreThemselvesInKafkaGo(t *testing.T) {
	balanced, byTopic := assignortest.Balanced(1), assignortest.BalancedByTopic(1)
	for _, test := range []struct {
		assignor assignor.Assignor
		option   assignortest.Option
	}{
		{assignor.Range{}, byTopic}, {assignor.RoundRobin{}, balanced}, {assignor.Sticky{}, balanced},
	} {
		t.Run(test.assignor.Name(), func(t *testing.T) {
			t.Parallel()
			assignortest.Check(t, twins{test.assignor}, test.option)
		})
	}
}

// custom is an assignor that does as it is told.
type custom func(p *assignor.Problem, plan *assignor.Plan) error

func (custom) Name() string                         { return "custom" }
func (custom) Supports() assignor.RebalanceProtocol { return assignor.Eager }
func (custom) UserData(assignor.Assignment) []byte  { return []byte("own") }
func (f custom) Assign(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(p, plan)
}

func TestABalancerPassesOnWhatKafkaGoTells(t *testing.T) {
	var seen assignor.Problem
	var notes []assignor.Note
	b := kafkagobalancer.New(custom(func(p *assignor.Problem, plan *assignor.Plan) error {
		seen = *p
		plan.AssignRange(0, 0, 0, 2)
		return nil
	}), func(err error) { t.Error(err) }, kafkagobalancer.OnNotes(func(n []assignor.Note) { notes = n }))

	if data, err := b.UserData(); b.ProtocolName() != "custom" || string(data) != "own" || err != nil {
		t.Errorf("%s sends %q, %v", b.ProtocolName(), data, err)
	}
	east, west := kafka.Broker{ID: 1, Rack: "east"}, kafka.Broker{ID: 2, Rack: "west"}
	got := b.AssignGroups(
		[]kafka.GroupMember{{ID: "b", Topics: []string{"t", "u"}}, {ID: "a", Topics: []string{"t"}, UserData: []byte("own")}},
		[]kafka.Partition{{Topic: "t", ID: 1, Leader: west, Replicas: []kafka.Broker{east, west}}, {Topic: "t", ID: 0, Leader: east, Replicas: []kafka.Broker{east}}},
	)
	if want := (kafka.GroupMemberAssignments{"a": {"t": {0, 1}}, "b": {}}); !reflect.DeepEqual(got, want) {
		t.Errorf("assigned %v, want %v", got, want)
	}
	if len(notes) != 1 || notes[0].Topic != "u" {
		t.Errorf("notes %v, want one of u", notes)
	}
	members := []assignor.Member{{ID: "a", Generation: -1, UserData: []byte("own")}, {ID: "b", Generation: -1}}
	topics := []assignor.Topic{{Name: "t", Partitions: 2, Replicas: [][]int32{{1}, {2, 1}}}}
	if !reflect.DeepEqual(seen.Members, members) || !reflect.DeepEqual(seen.Topics, topics) {
		t.Errorf("members %+v, topics %+v", seen.Members, seen.Topics)
	}
	if want := map[int32]string{1: "east", 2: "west"}; !reflect.DeepEqual(seen.Racks, want) {
		t.Errorf("racks %v, want %v", seen.Racks, want)
	}
}

func TestWhatKafkaGoCannotReturnIsTold(t *testing.T) {
	broken := errors.New("broken")
	for name, fail := range map[string]custom{
		"error": func(*assignor.Problem, *assignor.Plan) error { return broken },
		"panic": func(*assignor.Problem, *assignor.Plan) error { panic(broken) },
	} {
		var told error
		b := kafkagobalancer.New(fail, func(err error) { told = err })
		if got := b.AssignGroups([]kafka.GroupMember{{ID: "a", Topics: []string{"t"}}}, []kafka.Partition{{Topic: "t"}}); got != nil || !errors.Is(told, broken) {
			t.Errorf("%s: assigned %v, told %v", name, got, told)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("errors would be lost")
		}
	}()
	kafkagobalancer.New(assignor.Range{}, nil)
}
