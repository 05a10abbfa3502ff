package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// startWorker starts a distributed worker of Kafka Connect, which makes its topics and joins the group "workers".
func startWorker(t *testing.T, addr, clientID string) *kafkatest.Program {
	t.Helper()
	properties := strings.Join([]string{
		"bootstrap.servers=" + addr, "client.id=" + clientID, "group.id=workers", "listeners=http://127.0.0.1:0",
		"session.timeout.ms=6000", "heartbeat.interval.ms=300", "plugin.discovery=service_load",
		"key.converter=org.apache.kafka.connect.storage.StringConverter",
		"value.converter=org.apache.kafka.connect.storage.StringConverter",
		"config.storage.topic=connect-configs", "config.storage.replication.factor=1",
		"offset.storage.topic=connect-offsets", "offset.storage.replication.factor=1", "offset.storage.partitions=1",
		"status.storage.topic=connect-status", "status.storage.replication.factor=1", "status.storage.partitions=1",
	}, "\n")
	path := filepath.Join(t.TempDir(), "worker.properties")
	if err := os.WriteFile(path, []byte(properties), 0o644); err != nil {
		t.Fatal(err)
	}
	return kafkatest.StartJava(t, 160, "org.apache.kafka.connect.cli.ConnectDistributed", path)
}

// awaitWorkers waits until the group of the workers is stable with those of these client ids, sorted.
func (s *server) awaitWorkers(names ...string) {
	s.t.Helper()
	want := strings.Join(names, " ")
	described, err := kafkatest.AwaitGroup(deadline(s.t), s.addr, "workers", func(g kafkatest.Group) bool {
		return g.State == "Stable" && strings.Join(clientIDs(g), " ") == want
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if described.ProtocolType != "connect" || described.Protocol != "sessioned" {
		s.t.Errorf("a group of type %s and protocol %s", described.ProtocolType, described.Protocol)
	}
}

// Two workers are a group of type connect, and one of them goes on when the other one, the leader, ends (G-587,
// G-588). What they say to each other is opaque to the server (G-595).
func TestWorkersOfConnect(t *testing.T) {
	s := serve(t)
	first := startWorker(t, s.addr, "first")
	s.awaitWorkers("first")
	second := startWorker(t, s.addr, "second")
	s.awaitWorkers("first", "second")
	if err := first.Stop(); err != nil {
		t.Error(err)
	}
	s.awaitWorkers("second")
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
	s.awaitMembers("workers", 0)
}
