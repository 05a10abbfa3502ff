package kafkagobalancer_test

import (
	"bytes"
	"testing"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

func TestUserDataIsOfTheAssignmentThatWasTold(t *testing.T) {
	b := kafkagobalancer.New(assignor.Sticky{}, func(err error) { t.Error(err) })
	if data, err := b.UserData(); data != nil || err != nil {
		t.Errorf("a new member sends %x, %v", data, err)
	}
	b.Assigned(&kafka.Generation{ID: 5, Assignments: map[string][]kafka.PartitionAssignment{"b": {{ID: 3}, {ID: 1}}, "a": {{ID: 0}}}})
	want := assignor.Sticky{}.UserData(assignor.Assignment{Generation: 5, Partitions: []protocol.TopicPartitions{
		{Topic: "a", Partitions: []int32{0}}, {Topic: "b", Partitions: []int32{1, 3}}}})
	if data, err := b.UserData(); !bytes.Equal(data, want) || err != nil {
		t.Errorf("then it sends %x, %v, want %x", data, err, want)
	}
}
