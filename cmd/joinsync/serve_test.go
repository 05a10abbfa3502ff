package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// serving runs joinsync serve, and returns the line that it prints first and how to end it.
func serving(t *testing.T, args ...string) (line string, end func() (code int, rest string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	out, stdout := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), stdout, &stderr, environment{})
		stdout.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("exit code %d: %s", <-code, stderr.String())
	}
	return line, func() (int, string) {
		t.Helper()
		cancel()
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		return <-code, string(rest)
	}
}

func TestServeSaysWhereItListensAndServes(t *testing.T) {
	line, end := serving(t, "--topic", "orders:3", "--config", "group.initial.rebalance.delay.ms=0")
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("printed %q", line)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.ConsumerGroup("shop"), kgo.ConsumeTopics("orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("one")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	fetches := client.PollFetches(ctx)
	if err := fetches.Err(); err != nil || fetches.NumRecords() != 1 || string(fetches.Records()[0].Value) != "one" {
		t.Errorf("%d records, %v", fetches.NumRecords(), err)
	}
	client.Close()
	if code, rest := end(); code != exitOK || rest != "" {
		t.Errorf("exit code %d, and %q", code, rest)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("it still listens")
	}
}

func TestServeForPrograms(t *testing.T) {
	line, end := serving(t, "--json", "--topic", "orders:3", "--topic", "payments", "--advertise", "broker.example:9092")
	var listening struct {
		Event, Address, Advertised string
		Topics                     map[string]int32
	}
	if err := json.Unmarshal([]byte(line), &listening); err != nil {
		t.Fatal(err)
	}
	if listening.Event != "listening" || !strings.HasPrefix(listening.Address, "127.0.0.1:") ||
		listening.Advertised != "broker.example:9092" || listening.Topics["orders"] != 3 {
		t.Errorf("%+v", listening)
	}
	if code, rest := end(); code != exitOK || rest != `{"event":"closed"}`+"\n" {
		t.Errorf("exit code %d, and %q", code, rest)
	}
}

func TestServeOnATakenPort(t *testing.T) {
	line, end := serving(t)
	defer end()
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"serve", "--listen", address}, &stdout, &stderr, environment{})
	want := "joinsync: listen tcp " + address + ": bind: address already in use: choose an address with --listen that this machine " +
		"has and nobody else listens on\n"
	if code != exitError || stderr.String() != want || stdout.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, stderr.String(), stdout.String())
	}
}

func TestWrongCallsOfServeNameEveryFlagAndItsCure(t *testing.T) {
	nothing := filepath.Join(t.TempDir(), "nothing.pem")
	if err := os.WriteFile(nothing, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"no address", []string{"--listen", "localhost"}, []string{`--listen: "localhost" is not HOST:PORT`}},
		{"every address", []string{"--listen", ":9092"}, []string{`--listen: ":9092" is every address of this machine: set --advertise`}},
		{"nothing to dial", []string{"--advertise", ":9092"}, []string{`--advertise: ":9092" has no host`}},
		{"bad topics", []string{"--topic", "a:b", "--topic", "c d:1", "--topic", "e:1", "--topic", "e:2"},
			[]string{`--topic has "a:b": write NAME:PARTITIONS, such as orders:6`, `--topic has "c d": use 1 to 249`, `--topic has "e" twice`}},
		{"bad settings", []string{"--config", "num.partitions", "--config", "group.max.size=x", "--config", "group.max.sizes=1"},
			[]string{`--config has "num.partitions": write KEY=VALUE`, "--config: group.max.size=x: a whole number from 1",
				`--config: there is no setting "group.max.sizes"; near to it are group.max.size, `}},
		{"settings that do not fit", []string{"--config", "group.min.session.timeout.ms=2000", "--config", "group.max.session.timeout.ms=1000"},
			[]string{"group.min.session.timeout.ms is 2s, above group.max.session.timeout.ms (1s)"}},
		{"half a certificate", []string{"--tls-cert", nothing}, []string{"--tls-cert and --tls-key go together"}},
		{"no certificate", []string{"--tls-cert", nothing, "--tls-key", nothing}, []string{"--tls-cert and --tls-key: "}},
		{"an argument", []string{"orders"}, []string{`unknown command "orders"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), append([]string{"serve"}, test.args...), &stdout, &stderr, environment{}); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			for _, want := range append(test.want, "Try 'joinsync serve --help'") {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("no %q in %q", want, stderr.String())
				}
			}
			if strings.Contains(stderr.String(), "broker: ") || stdout.Len() > 0 {
				t.Errorf("printed %q, %q", stderr.String(), stdout.String())
			}
		})
	}
}

func TestHelpOfServeHasExamples(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--help"}, &stdout, &stderr, environment{}); code != exitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
	for _, want := range []string{"joinsync serve --listen 127.0.0.1:9092 --topic orders:6", "group.initial.rebalance.delay.ms", "--json"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}
