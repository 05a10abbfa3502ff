package kafkatest_test

import (
	"testing"
	"time"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestJavaConsumersShareATopicThroughALeaveAndAKill(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			broker := kafkatest.Start(t, version)
			topic, group := broker.CreateTopic(t, 4), kafkatest.Name(t)
			produce(t, broker.Addr(), topic, 8)
			start := func(clientID string) *kafkatest.Consumer {
				return kafkatest.StartConsumer(t, kafkatest.ConsumerConfig{Addr: broker.Addr(), Group: group, Topic: topic,
					ClientID: clientID, SessionTimeout: time.Second})
			}
			await := func(members int) kafkatest.Group {
				t.Helper()
				described, err := kafkatest.AwaitGroup(deadline(t), broker.Addr(), group, func(g kafkatest.Group) bool {
					return g.State == "Stable" && len(g.Members) == members
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := described.CheckAssignment(topic, 4); err != nil {
					t.Error(err)
				}
				return described
			}

			first := start("first")
			records, err := first.AwaitRecords(deadline(t), func(r []kafkatest.Record) bool { return len(r) == 8 })
			if err != nil {
				t.Fatal(err)
			}
			if record := records[0]; record.Offset != 0 || record.Value == "" {
				t.Errorf("first record is %+v", record)
			}
			second, third := start("second"), start("third")
			if described := await(3); described.Protocol != "range" || described.ProtocolType != "consumer" {
				t.Errorf("described as %+v", described)
			}
			if err := second.Leave(); err != nil {
				t.Error(err)
			}
			await(2)
			third.Kill()
			if last := await(1).Members[0]; last.ClientID != "first" || len(last.Assigned[topic]) != 4 {
				t.Errorf("last member is %+v", last)
			}
		})
	}
}
