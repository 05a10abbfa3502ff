package interop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// command builds joinsync, once.
var command = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "joinsync")
	build := exec.Command("go", "build", "-o", path, "./cmd/joinsync")
	build.Dir = ".." // with the versions of the library's own go.mod
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build joinsync: %w\n%s", err, out)
	}
	return path, nil
})

var built string // the folder for what is built

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "joinsync-interop-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(built)
		return m.Run()
	}())
}

// topic is what members share, of so many partitions.
const (
	topic      = "orders"
	partitions = 6
)

// A server is a running joinsync serve.
type server struct {
	t    *testing.T
	addr string
	kgo  *kgo.Client
}

// serve starts joinsync serve. At the end of the test it is stopped by SIGTERM, and must exit with 0.
func serve(t *testing.T) *server {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	program := kafkatest.StartProgram(t, path, "serve", "--listen", "127.0.0.1:0", "--json", "--topic", fmt.Sprintf("%s:%d", topic, partitions),
		"--config", "group.initial.rebalance.delay.ms=300", "--config", "group.min.session.timeout.ms=1000")
	t.Cleanup(func() {
		if err := program.Stop(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(program.Stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("joinsync serve printed %q: %v", line, err)
	}
	var listening struct{ Advertised string }
	if err := json.Unmarshal([]byte(line), &listening); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(listening.Advertised), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &server{t: t, addr: listening.Advertised, kgo: client}
}

// deadline bounds one step of a test: far more than it takes, so that only what hangs meets it.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// produce writes records to each partition, and returns their values.
func (s *server) produce(perPartition int) []string {
	s.t.Helper()
	var values []string
	for i := range perPartition {
		for partition := range int32(partitions) {
			value := fmt.Sprintf("%d/%d/%d", time.Now().UnixNano(), partition, i)
			record := &kgo.Record{Topic: topic, Partition: partition, Value: []byte(value)}
			if err := s.kgo.ProduceSync(deadline(s.t), record).FirstErr(); err != nil {
				s.t.Fatal(err)
			}
			values = append(values, value)
		}
	}
	return values
}

// awaitMembers waits until a group is stable with so many members, who own each partition once, and returns it.
func (s *server) awaitMembers(group string, count int) kafkatest.Group {
	s.t.Helper()
	described, err := kafkatest.AwaitGroup(deadline(s.t), s.addr, group, func(g kafkatest.Group) bool {
		return len(g.Members) == count && (g.State == "Stable" && g.CheckAssignment(topic, partitions) == nil || count == 0 && g.State == "Empty")
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return described
}

// committed returns the group's committed offsets by partition.
func (s *server) committed(group string) map[int32]int64 {
	s.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	req.Groups = append(req.Groups, g)
	resp, err := req.RequestWith(deadline(s.t), s.kgo)
	if err != nil {
		s.t.Fatal(err)
	}
	offsets := make(map[int32]int64)
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				offsets[p.Partition] = p.Offset
			}
		}
	}
	return offsets
}
