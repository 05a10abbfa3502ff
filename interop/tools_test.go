package interop_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// consumerGroups runs Kafka's own kafka-consumer-groups.sh, and returns the words of each line that it prints.
func (s *server) consumerGroups(args ...string) (lines [][]string) {
	s.t.Helper()
	args = append([]string{"--bootstrap-server", s.addr}, args...)
	output, err := kafkatest.StartJava(s.t, kafkatest.V4_4_0, 96, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", args...).Output(deadline(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(output) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// wantLine checks that one of the lines has these words, in their order, with others between them.
func wantLine(t *testing.T, lines [][]string, words ...string) {
	t.Helper()
	for _, line := range lines {
		rest := words
		for _, word := range line {
			if len(rest) > 0 && word == rest[0] {
				rest = rest[1:]
			}
		}
		if len(rest) == 0 {
			return
		}
	}
	t.Errorf("no line with %q in %q", words, lines)
}

func TestKafkaConsumerGroups(t *testing.T) { // KIP-222, KIP-229, KIP-496, KIP-518
	s, group := serve(t), "shop"
	m := startKgo(t, s.addr, group, "till").(*kgoMember)
	described := s.awaitMembers(group, 1)
	wantRead(t, s.produce(3), m)
	if err := m.client.CommitUncommittedOffsets(context.Background()); err != nil {
		t.Fatal(err)
	}
	member := described.Members[0].MemberID

	wantLine(t, s.consumerGroups("--list", "--state"), group, "Stable")
	offsets := s.consumerGroups("--describe", "--group", group)
	for _, partition := range []string{"0", "5"} {
		wantLine(t, offsets, group, topic, partition, "3", "3", "0", member, "/127.0.0.1", "till")
	}
	wantLine(t, s.consumerGroups("--describe", "--group", group, "--members", "--verbose"), group, member, "till", "6", topic+":0,1,2,3,4,5")
	wantLine(t, s.consumerGroups("--describe", "--group", group, "--state"), group, s.addr, "(0)", "range", "Stable", "1")
	wantLine(t, s.consumerGroups("--delete", "--group", group), "could", "not", "be", "deleted", "The", "group", "is", "not", "empty.")
	wantLine(t, s.consumerGroups("--delete-offsets", "--group", group, "--topic", topic+":0"), "forbidden", "actively", "subscribed")

	if err := m.leave(); err != nil {
		t.Fatal(err)
	}
	s.awaitMembers(group, 0)
	reset := s.consumerGroups("--reset-offsets", "--group", group, "--topic", topic, "--to-offset", "2", "--execute")
	wantLine(t, reset, group, topic, "0", "2")
	if got, want := s.committed(group), map[int32]int64{0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2}; !maps.Equal(got, want) {
		t.Errorf("committed are %v, want %v", got, want)
	}
	wantLine(t, s.consumerGroups("--delete-offsets", "--group", group, "--topic", topic+":0,1"), topic, "1", "Successful")
	if got, want := s.committed(group), map[int32]int64{2: 2, 3: 2, 4: 2, 5: 2}; !maps.Equal(got, want) {
		t.Errorf("committed are %v, want %v", got, want)
	}
	wantLine(t, s.consumerGroups("--delete", "--group", group), "('"+group+"')", "successful.")
	if left := s.consumerGroups("--list"); slices.ContainsFunc(left, func(line []string) bool { return line[0] == group }) {
		t.Errorf("left are %q", left)
	}
}

// kafka-topics.sh and kafka-configs.sh get on with what the server has of their APIs.
func TestKafkaTopicsAndConfigs(t *testing.T) {
	s := serve(t)
	for class, test := range map[string]struct {
		args []string
		want string
	}{
		"TopicCommand":  {[]string{"--describe", "--topic", topic}, "Partition: 5\tLeader: 0\tReplicas: 0\tIsr: 0\tElr: \tLastKnownElr: "}, // KIP-966
		"ConfigCommand": {[]string{"--describe", "--all", "--entity-type", "brokers", "--entity-name", "0"}, "group.initial.rebalance.delay.ms=300 sensitive=false"},
	} {
		args := append([]string{"--bootstrap-server", s.addr}, test.args...)
		output, err := kafkatest.StartJava(t, kafkatest.V4_4_0, 96, "org.apache.kafka.tools."+class, args...).Output(deadline(t))
		if err != nil || !strings.Contains(output, test.want) {
			t.Errorf("%s does not tell of %s: %v\n%s", class, test.want, err, output)
		}
	}
}
