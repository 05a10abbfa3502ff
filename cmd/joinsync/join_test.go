package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// A cluster is a fake one on a network in memory, for a synctest bubble.
type cluster struct{ network kfake.VirtualNetwork }

func newCluster(t *testing.T, opts ...kfake.Opt) *cluster {
	t.Helper()
	c := new(cluster)
	opts = append(opts, kfake.Ports(9092), kfake.ListenFn(c.network.Listen), kfake.SeedTopics(6, "orders"))
	fake, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	return c
}

// A result is what a run of the command has left.
type result struct {
	code           int
	stdout, stderr string
}

// errInterrupt is what the command takes for a signal.
var errInterrupt = errors.New("interrupt signal received")

// join runs joinsync join until it ends, or is interrupted after so long.
func (c *cluster) join(t *testing.T, after time.Duration, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), after, errInterrupt)
	defer cancel()
	var stdout, stderr bytes.Buffer
	args = append([]string{"join", "-b", "127.0.0.1:9092", "-g", "shop", "-t", "orders", "--client-id", "anna"}, args...)
	code := run(ctx, args, &stdout, &stderr, environment{dial: c.network.DialContext})
	return result{code, stdout.String(), stderr.String()}
}

// want checks a result: its exit code, what each stream has to contain, and that nothing else is on standard error than
// one line.
func (r result) want(t *testing.T, code int, stdout, stderr []string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	rest := r.stdout
	for _, want := range stdout {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("no %q, or not in its place", want)
		}
		rest = after
	}
	for _, want := range stderr {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q on standard error", want)
		}
	}
	if lines := strings.Count(r.stderr, "\n"); lines != min(1, len(stderr)) {
		t.Errorf("%d lines on standard error", lines)
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", r.stdout, r.stderr)
	}
}

func TestJoinHoldsItsPartitionsAndLeavesWhenInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newCluster(t).join(t, time.Minute).want(t, exitOK, []string{
			"joinsync join: anna joins group shop on 127.0.0.1:9092, for orders\n",
			"how anna joins, in seven steps", "1  anna asks to join", "group shop, no member id yet, session timeout 45s",
			"protocol range: subscribes to orders", "2  the coordinator gives anna a member id", "3  ", "4  ", "5  ", "6  ", "7  anna owns",
			"generation 1 · anna joined · range · led by anna\n         anna  ███ ███ ███ ███ ███ ███  orders 0-5\n",
			"60.00s  anna is to leave: interrupt signal received; a second one ends it at once\n",
			"anna gives up orders 0-5\n", "anna leaves the group\n", "anna has left group shop\n",
		}, nil)
	})
}

func TestJoinWithRoundRobinAndAStaticMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newCluster(t).join(t, time.Minute, "--assignor", "roundrobin,range", "--instance-id", "shop-1", "--rack", "r").want(t, exitOK, []string{
			"joinsync join: shop-1 joins group shop",
			"protocol roundrobin: subscribes to orders", "protocol range: subscribes to orders", "7  shop-1 owns",
			"generation 1 · shop-1 joined · roundrobin · led by shop-1\n         shop-1  ███", "shop-1 gives up orders 0-5\n",
			"shop-1 has ended; group shop keeps its place for the session timeout, 45s\n",
		}, nil)
	})
}

func TestJoinInJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newCluster(t).join(t, time.Minute, "--json").want(t, exitOK, []string{
			`{"at_ms":0,"event":"opened"`, `"event":"assigned","member":"anna",`, `"partitions":{"orders":[0,1,2,3,4,5]}`,
			`"event":"generation","member":"anna","generation":1,"protocol":"range","leader":"anna","reason":"anna joined",`,
			`"topics":{"orders":6}`, `{"at_ms":60000,"event":"leaving"`, `"event":"left"`, `"event":"closed"`,
		}, nil)
	})
}

func TestJoinWarnsOfAnUnknownTopicAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newCluster(t).join(t, time.Minute, "-t", "nosuch")
		r.want(t, exitOK, []string{"anna warning: topic nosuch", "orders 0-5", "anna has left group shop\n"}, nil)
		if n := strings.Count(r.stdout, "warning"); n != 1 {
			t.Errorf("%d warnings", n)
		}
	})
}

func TestJoinLogsIn(t *testing.T) {
	t.Setenv(passwordVariable, "wonderland")
	for mechanism, flag := range map[string]string{
		"PLAIN": "plain", "SCRAM-SHA-256": "scram-sha-256", "SCRAM-SHA-512": "SCRAM-SHA-512",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCluster(t, kfake.EnableSASL(), kfake.Superuser(mechanism, "alice", "wonderland"))
			warning := "group shop,"
			if mechanism == "PLAIN" {
				warning = "warning: the password goes over the network as it is"
			}
			c.join(t, time.Minute, "--user", "alice", "--sasl-mechanism", flag).want(t, exitOK,
				[]string{warning, "anna has left group shop"}, nil)
		})
	}
}

// TestJoinSaysInOneLineWhatIsWrong has every mistake that a person makes.
func TestJoinSaysInOneLineWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name    string
		cluster func(t *testing.T) *cluster
		args    []string
		within  time.Duration
		stderr  []string
	}{
		{
			"nobody listens", func(*testing.T) *cluster { return new(cluster) },
			nil, time.Minute,
			[]string{`joinsync: group "shop": no answer from the cluster within --bootstrap-timeout, which is 30s`, "127.0.0.1:9092",
				"check the address"},
		},
		{
			"something else listens", func(t *testing.T) *cluster {
				return answering(t, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
			},
			nil, time.Minute,
			[]string{`group "shop"`, "127.0.0.1:9092", "Kafka"},
		},
		{
			"TLS is wanted", func(t *testing.T) *cluster { return answering(t, "") },
			nil, time.Minute,
			[]string{`group "shop"`, "127.0.0.1:9092", "TLS"},
		},
		{
			"the password is wrong", func(t *testing.T) *cluster {
				return newCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "wonderland"))
			},
			[]string{"--user", "alice", "--password", "rabbit"}, time.Minute, // a real broker says what is wrong, and it ends at once
			[]string{"127.0.0.1:9092", "check user name, password and SASL mechanism"},
		},
		{
			"the session timeout is out of bounds", func(t *testing.T) *cluster { return newCluster(t) },
			[]string{"--session-timeout", "1s"}, 5 * time.Second,
			[]string{"--session-timeout is 1s", "INVALID_SESSION_TIMEOUT"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := test.cluster(t).join(t, 10*time.Minute, test.args...)
				r.want(t, exitError, nil, test.stderr)
				t.Log(r.stderr)
				if took := time.Since(began); took > test.within {
					t.Errorf("that took %v", took)
				}
			})
		})
	}
}

// answering returns a cluster that is none: whoever connects is answered so, once it has said something.
func answering(t *testing.T, answer string) *cluster {
	t.Helper()
	return accepting(t, func(conn net.Conn) {
		go func() {
			defer conn.Close()
			conn.Read(make([]byte, 1024))
			io.WriteString(conn, answer)
		}()
	})
}

// accepting returns a cluster that does nothing but this with each connection. It must not block.
func accepting(t *testing.T, do func(net.Conn)) *cluster {
	t.Helper()
	c := new(cluster)
	l, err := c.network.Listen("tcp", "127.0.0.1:9092")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			do(conn)
		}
	}()
	return c
}
