package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

// conformable starts a broker of ours with the settings that scripts assume, on a network in memory.
func conformable(t *testing.T, settings ...string) *memnet.Listener {
	t.Helper()
	network := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	config := broker.Config{Listener: network}
	for _, setting := range append([]string{"group.initial.rebalance.delay.ms=0", "group.min.session.timeout.ms=100"}, settings...) {
		key, value, _ := strings.Cut(setting, "=")
		if err := config.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	b, err := broker.Listen(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody waits for the answers that are still due
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return network
}

// runConform runs joinsync conform on a broker behind a dial function.
func runConform(t *testing.T, dial dial, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"conform", "-b", "127.0.0.1:9092"}, args...)
	code := run(t.Context(), args, &stdout, &stderr, environment{dial: dial})
	return result{code, stdout.String(), stderr.String()}
}

// A summary is the last line of --json.
type summary struct {
	Event, Like, Prefix            string
	Agree, Differ, Skipped, NotRun int
	Left                           []string
}

// jsonLines reads what --json printed: a line for each script, and the summary.
func jsonLines(t *testing.T, out string) (scripts []conformLine, sum summary) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, text := range lines[:len(lines)-1] {
		var line conformLine
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Event != "script" {
			t.Fatalf("%v in %q", err, text)
		}
		scripts = append(scripts, line)
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil || sum.Event != "summary" {
		t.Fatalf("%v in %q", err, lines[len(lines)-1])
	}
	return scripts, sum
}

func TestConformOnABrokerOfOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := conformable(t)
		for range 2 { // what the first run leaves does not disturb the second
			r := runConform(t, network.DialContext, "--json")
			scripts, sum := jsonLines(t, r.stdout)
			if r.code != exitOK || r.stderr != "" || sum.NotRun > 0 || sum.Like != "4.4.0" {
				t.Errorf("exit code %d, %q, %+v", r.code, r.stderr, sum)
			}
			wantAgreement(t, scripts, sum)
			for _, topic := range topics(t, network) {
				if strings.HasPrefix(topic, sum.Prefix) {
					t.Errorf("left behind topic %s", topic)
				}
			}
		}
	})
}

// wantAgreement checks that most scripts were run, and that the broker agrees.
func wantAgreement(t *testing.T, scripts []conformLine, sum summary) {
	t.Helper()
	if sum.Differ > 0 || sum.Agree < 4*sum.Skipped || len(scripts) != sum.Agree+sum.Skipped {
		t.Errorf("%d lines, %+v", len(scripts), sum)
	}
	for _, line := range scripts {
		if line.Outcome == "differs" || (line.Outcome == "skipped") != (line.Reason != "") || line.Title == "" || line.Rules == "" {
			t.Errorf("%+v", line)
		}
	}
}

// topics lists those of a broker.
func topics(t *testing.T, network *memnet.Listener) (names []string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(network.DialContext))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	resp, err := kmsg.NewPtrMetadataRequest().RequestWith(t.Context(), cl)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range resp.Topics {
		names = append(names, *topic.Topic)
	}
	return names
}

func TestConformSkipsWhatTheSettingsDoNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := conformable(t, "group.max.size=2", "group.initial.rebalance.delay.ms=3000")
		r := runConform(t, network.DialContext, "--run", "^(find|join)/")
		r.want(t, exitOK, []string{
			"scripts skipped: needs group.initial.rebalance.delay.ms=0, and the broker has 3000; " +
				"group.max.size=2147483647, and the broker has 2\n", "  join/", ", which --verbose lists\n", " agree, 0 differ, ",
		}, nil)
		r = runConform(t, network.DialContext, "--run", "^rebalance/initial-delay$", "-c", "group.max.size=2147483647")
		r.want(t, exitOK, []string{"1 agree, 0 differ, 0 skipped, in "}, nil)
		r = runConform(t, network.DialContext, "--run", "^join/first-member$")
		r.want(t, exitError, []string{"0 agree, 0 differ, 1 skipped"}, []string{"no script could be run: give the broker the settings"})
	})
}

// An altered connection is one whose broker is not what it should be.
type altered struct {
	net.Conn
	answer  func(key, version int16, frame []byte) ([]byte, error) // nil frame: none comes
	key     int16
	version int16
	rest    []byte // of an answer
}

func (a *altered) Write(frame []byte) (int, error) {
	a.key, a.version = int16(binary.BigEndian.Uint16(frame[4:])), int16(binary.BigEndian.Uint16(frame[6:]))
	return a.Conn.Write(frame)
}

func (a *altered) Read(to []byte) (int, error) {
	for len(a.rest) == 0 {
		frame, err := protocol.ReadFrame(a.Conn, 1<<20)
		if err != nil {
			return 0, err
		}
		if frame, err = a.answer(a.key, a.version, frame); err != nil {
			a.Close()
			return 0, err
		}
		if frame != nil {
			a.rest = append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
		}
	}
	n := copy(to, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// alter returns a dial function to a broker that answers Heartbeat v4 otherwise.
func alter(network *memnet.Listener, heartbeat func(frame []byte) ([]byte, error)) dial {
	return func(ctx context.Context, network1, address string) (net.Conn, error) {
		conn, err := network.DialContext(ctx, network1, address)
		return &altered{Conn: conn, answer: func(key, version int16, frame []byte) ([]byte, error) {
			if key == kmsg.Heartbeat.Int16() && version == 4 {
				return heartbeat(frame)
			}
			return frame, nil
		}}, err
	}
}

// codeAt is where the error code stands in an answer to Heartbeat v4: behind correlation id, tags and throttle time.
const codeAt = 4 + 1 + 4

func TestConformShowsWhatABrokerDoesOtherwise(t *testing.T) {
	for _, test := range []struct {
		name      string
		heartbeat func(frame []byte) ([]byte, error)
		want      []string
	}{
		{"another code", func(frame []byte) ([]byte, error) {
			if code := binary.BigEndian.Uint16(frame[codeAt:]); code == 0 {
				binary.BigEndian.PutUint16(frame[codeAt:], uint16(protocol.IllegalGeneration))
			}
			return frame, nil
		}, []string{"\n✗ All versions of Heartbeat say the same. [G-221 G-227]\n" +
			"  heartbeat/versions.txt:16  A: Heartbeat v4 gen=1 member=$A\n    - → NONE\n    + → ILLEGAL_GENERATION\n"}},
		{"no answer", func([]byte) ([]byte, error) { return nil, nil },
			[]string{"heartbeat/versions.txt:16  ", "\n    - → NONE\n    + parked: no answer within 10s\n"}},
		{"the connection ends", func([]byte) ([]byte, error) { return nil, errors.New("it ends") },
			[]string{"heartbeat/versions.txt:16  ", "\n    - → NONE\n    + ✗ connection closed\n"}},
		{"an answer that is none", func(frame []byte) ([]byte, error) { return frame[:codeAt], nil },
			[]string{"heartbeat/versions.txt:16  ", "\n    - → NONE\n    + ✗ Heartbeat response v4: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := runConform(t, alter(conformable(t), test.heartbeat), "--run", "^(heartbeat/versions|find/versions)$", "--parallel", "1")
				r.want(t, exitError, append(test.want, "1 agree, 1 differ, 0 skipped, in "),
					[]string{"1 script differs: joinsync conform --print --run '^heartbeat/versions$' shows the first one whole"})
				if took := time.Since(began); took > time.Minute {
					t.Errorf("that took %v", took)
				}
			})
		})
	}
}

func TestConformTellsADifferenceOfOneKindOnce(t *testing.T) {
	refuse := func(frame []byte) ([]byte, error) {
		binary.BigEndian.PutUint16(frame[codeAt:], uint16(protocol.GroupIDNotFound))
		return frame, nil
	}
	synctest.Test(t, func(t *testing.T) {
		network := conformable(t)
		r := runConform(t, alter(network, refuse), "--run", "^(rebalance/barrier|heartbeat/matrix|heartbeat/versions)$", "--parallel", "1")
		r.want(t, exitError, []string{"heartbeat/matrix.txt:7", "heartbeat/versions.txt:16", "\nas at heartbeat/versions.txt:16, in 1 script more:\n  rebalance/barrier\n"},
			[]string{"3 scripts differ: "})
		r = runConform(t, alter(network, refuse), "--run", "^heartbeat/versions", "--json")
		scripts, sum := jsonLines(t, r.stdout)
		if len(scripts) != 1 || sum.Differ != 1 || scripts[0].Outcome != "differs" || len(scripts[0].Differences) != 1 ||
			scripts[0].Differences[0].Line != 16 || scripts[0].Differences[0].Got[0] != "→ GROUP_ID_NOT_FOUND" {
			t.Errorf("%+v, %+v", scripts, sum)
		}
	})
}

func TestConformPrintsWhatItHasWhenInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stdout := &trigger{words: "agrees  ", do: func() { cancel(errInterrupt) }}
		var stderr bytes.Buffer
		began := time.Now()
		code := run(ctx, []string{"conform", "-b", "127.0.0.1:9092", "--verbose"}, stdout, &stderr, environment{dial: conformable(t).DialContext})
		result{code, stdout.out.String(), stderr.String()}.want(t, exitError, []string{"agrees  ", " agree, 0 differ, ", " not run, in "},
			[]string{"joinsync: interrupt signal received"})
		if took := time.Since(began); took > time.Minute {
			t.Errorf("that took %v", took)
		}
	})
}

func TestConformSaysInOneLineWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name    string
		cluster func(t *testing.T) *cluster
		stderr  []string
	}{
		{"nobody listens", func(*testing.T) *cluster { return new(cluster) }, []string{"127.0.0.1:9092", "check the address, and that the broker is up"}},
		{"TLS is wanted", func(t *testing.T) *cluster { return answering(t, "") }, []string{"127.0.0.1:9092", "whether it wants TLS"}},
		{"nothing is said", silent, []string{"127.0.0.1:9092: no answer within --patience, which is 3s", "whether it wants TLS"}},
		{"several brokers", func(t *testing.T) *cluster {
			c := new(cluster)
			fake, err := kfake.NewCluster(kfake.Ports(9092, 9093), kfake.ListenFn(c.network.Listen))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(fake.Close)
			return c
		}, []string{"the cluster of 127.0.0.1:9092 has 2 brokers: use one that has a single broker"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := runConform(t, test.cluster(t).network.DialContext, "--patience", "3s")
				r.want(t, exitError, nil, test.stderr)
				if took := time.Since(began); took > 5*time.Second || r.stdout != "" {
					t.Errorf("that took %v, and printed %d characters", took, len(r.stdout))
				}
			})
		})
	}
}

// silent returns a cluster that takes connections and says nothing.
func silent(t *testing.T) *cluster {
	t.Helper()
	return accepting(t, func(conn net.Conn) { t.Cleanup(func() { conn.Close() }) })
}

func TestConformShowsItsScripts(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"conform", "--list"}, &stdout, &stderr, environment{}); code != exitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
	if lines := strings.Count(stdout.String(), "\n"); lines < 100 {
		t.Errorf("%d lines", lines)
	}
	stdout.Reset()
	code := run(t.Context(), []string{"conform", "--print", "--run", "^heartbeat/versions$"}, &stdout, &stderr, environment{})
	if code != exitOK || !strings.HasPrefix(stdout.String(), "==> heartbeat/versions.txt <==\n# All versions of Heartbeat say the same.\n# G-221") ||
		!strings.Contains(stdout.String(), "\nA: Heartbeat v4 gen=2 member=$A\n  → ILLEGAL_GENERATION\n") {
		t.Errorf("exit code %d, %s", code, stdout.String())
	}
}

func TestWrongCallsOfConformNameEveryFlagAndItsCure(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", "--bootstrap is missing: "},
		{"-b a:1,b:1", "--bootstrap has several addresses: give one"},
		{"-b a:1 --like 4.3", `--like is "4.3": use 4.4.0 or 3.9.2`},
		{"-b a:1 --config group.max.size", `--config has "group.max.size": write KEY=VALUE`},
		{"-b a:1 --patience 0s", "--patience is 0s: "},
		{"-b a:1 --parallel 0", "--parallel is 0: use 1 to 100"},
		{"-b a:1 --run (", "--run: "},
		{"--list --json", "--list and --print go without"},
		{"--list --print", "--list and --print go without"},
		{"-b a:1 --run nosuch", `no script has a name that matches "nosuch": see joinsync conform --list`},
		{"-b a:1 --password x", "--user is missing: "},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"conform"}, strings.Fields(test.args)...), &stdout, &stderr, environment{})
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) ||
			!strings.Contains(stderr.String(), "Try 'joinsync conform --help'") {
			t.Errorf("%s: exit code %d, %q, %q", test.args, code, stdout.String(), stderr.String())
		}
	}
}
