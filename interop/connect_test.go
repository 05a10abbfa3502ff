package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// A worker is a distributed worker of Kafka Connect.
type worker struct {
	*kafkatest.Program
	t    *testing.T
	rest string // where its REST interface is
}

// startWorker starts a worker, which makes its topics and joins the group "workers".
func startWorker(t *testing.T, version kafkatest.Version, addr, clientID string) *worker {
	t.Helper()
	rest := kafkatest.FreeAddr(t) // workers tell each other
	properties := strings.Join([]string{
		"bootstrap.servers=" + addr, "client.id=" + clientID, "group.id=workers", "listeners=http://" + rest,
		"session.timeout.ms=6000", "heartbeat.interval.ms=300", "scheduled.rebalance.max.delay.ms=0", "plugin.discovery=service_load",
		"consumer.session.timeout.ms=6000", "consumer.heartbeat.interval.ms=300", "offset.flush.interval.ms=300",
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
	return &worker{Program: kafkatest.StartJava(t, version, 192, "org.apache.kafka.connect.cli.ConnectDistributed", path), t: t, rest: rest}
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

// await asks again until what is asked for is there.
func await(t *testing.T, what string, done func() (is string, ok bool)) {
	t.Helper()
	ctx := deadline(t)
	for {
		is, ok := done()
		if ok {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%s: not in time; at last there was %s", what, is)
		}
	}
}

// put gives a connector its configuration. While the workers rebalance they refuse.
func (w *worker) put(connector string, config map[string]string) {
	w.t.Helper()
	body, err := json.Marshal(config)
	if err != nil {
		w.t.Fatal(err)
	}
	await(w.t, "make the connector "+connector, func() (string, bool) {
		return w.request(http.MethodPut, "/connectors/"+connector+"/config", bytes.NewReader(body), nil)
	})
}

// request asks the worker's REST interface for something, and decodes what is answered.
func (w *worker) request(method, path string, body io.Reader, answer any) (is string, ok bool) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(deadline(w.t), method, "http://"+w.rest+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error(), false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices || answer != nil && json.Unmarshal(text, answer) != nil {
		return fmt.Sprint(resp.Status, " ", string(text), err), false
	}
	return string(text), true
}

// awaitTasks waits until a connector has one running task for each of these workers.
func (w *worker) awaitTasks(connector string, on ...*worker) {
	w.t.Helper()
	var want []string
	for _, worker := range on {
		want = append(want, worker.rest)
	}
	slices.Sort(want)
	await(w.t, fmt.Sprintf("tasks of %s on %q", connector, want), func() (string, bool) {
		var status struct {
			Tasks []struct {
				State  string
				Worker string `json:"worker_id"`
			}
		}
		is, ok := w.request(http.MethodGet, "/connectors/"+connector+"/status", nil, &status)
		var running []string
		for _, task := range status.Tasks {
			if task.State == "RUNNING" {
				running = append(running, task.Worker)
			}
		}
		slices.Sort(running)
		return is, ok && slices.Equal(running, want)
	})
}

// copying writes lines to a file, and waits until all of them are in another one.
func copying(t *testing.T, from, to string, lines ...string) {
	t.Helper()
	file, err := os.OpenFile(from, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	await(t, fmt.Sprintf("copy %q", lines), func() (string, bool) {
		copied, _ := os.ReadFile(to)
		there := strings.Split(string(copied), "\n")
		return string(copied), !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(there, line) })
	})
}

// Two workers are a group of type connect, and one of them goes on when the other one, the leader, ends (G-587,
// G-588). What they say to each other is opaque to the server (G-595).
func TestWorkersOfConnect(t *testing.T) {
	s := serve(t)
	first := startWorker(t, kafkatest.V4_4_0, s.addr, "first")
	s.awaitWorkers("first")
	second := startWorker(t, kafkatest.V4_4_0, s.addr, "second")
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

// Workers share the tasks of connectors, whose consumers are a group of their own. When a worker dies, the other one does
// everything.
func TestConnectorsOfConnect(t *testing.T) {
	s := serve(t)
	first, second := startWorker(t, kafkatest.V3_9_2, s.addr, "first"), startWorker(t, kafkatest.V3_9_2, s.addr, "second")
	s.awaitWorkers("first", "second")
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	first.put("sink", map[string]string{"connector.class": "FileStreamSink", "tasks.max": "2", "file": to, "topics": topic})
	second.awaitTasks("sink", first, second)
	s.awaitMembers("connect-sink", 2)
	second.put("source", map[string]string{"connector.class": "FileStreamSource", "tasks.max": "1", "file": from, "topic": topic})
	copying(t, from, to, "one", "two", "three")

	first.Kill()
	s.awaitWorkers("second")
	second.awaitTasks("sink", second, second)
	second.awaitTasks("source", second)
	s.awaitMembers("connect-sink", 2)
	copying(t, from, to, "four", "five")
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
	s.awaitMembers("workers", 0)
	s.awaitMembers("connect-sink", 0)
}
