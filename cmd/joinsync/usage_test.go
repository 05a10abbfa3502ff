package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func TestWrongCallsNameEveryFlagAndItsCure(t *testing.T) {
	nothing := filepath.Join(t.TempDir(), "nothing.pem")
	if err := os.WriteFile(nothing, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := []string{"join", "-b", "localhost:9092", "-g", "shop", "-t", "orders"}
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"an unknown command", []string{"jo"}, []string{`unknown command "jo"`, "join", "Try 'joinsync --help'"}},
		{"an unknown flag", []string{"join", "--nosuch"}, []string{"unknown flag: --nosuch", "Try 'joinsync join --help'"}},
		{"an argument", []string{"demo", "fast"}, []string{`unknown command "fast" for "joinsync demo"`}},
		{"a duration without a unit", append(full, "--session-timeout", "10"), []string{"--session-timeout", "missing unit"}},
		{"nothing", []string{"join"}, []string{"--bootstrap is missing: ", "--group is missing: ", "--topic is missing: "}},
		{"an empty client id", append(full, "--client-id", ""), []string{"--client-id is empty: "}},
		{"a URL", append(full, "-b", "http://localhost:9092"), []string{`--bootstrap has "http://localhost:9092": write host:port`}},
		{"a bad port", append(full, "-b", "localhost:kafka"), []string{`--bootstrap has "localhost:kafka": write host:port`}},
		{"a bad topic", append(full, "-t", "a b"), []string{`--topic has "a b": use 1 to 249`}},
		{"a bad assignor", append(full, "--assignor", "fair"), []string{`--assignor has "fair": use ` + assignorNames()}},
		{"an assignor twice", append(full, "--assignor", "range,range"), []string{`--assignor has two of the name "range"`}},
		{"a bad instance id", append(full, "--instance-id", "a/b"), []string{`--instance-id is "a/b": `}},
		{"a slow heart", append(full, "--session-timeout", "5s", "--heartbeat-interval", "6s"),
			[]string{"--heartbeat-interval is 6s: use less than --session-timeout, which is 5s"}},
		{"a bad mechanism", append(full, "--user", "alice", "--password", "x", "--sasl-mechanism", "GSSAPI"),
			[]string{`--sasl-mechanism is "GSSAPI": use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512`}},
		{"no password", append(full, "--user", "alice"), []string{"password of --user alice is missing: ", passwordVariable}},
		{"no user", append(full, "--password", "x"), []string{"--user is missing: "}},
		{"two passwords", append(full, "--user", "alice", "--password", "x", "--password-file", "y"), []string{"leave one of them out"}},
		{"no such password", append(full, "--user", "alice", "--password-file", "/nosuch"), []string{"--password-file: ", "/nosuch"}},
		{"no such authority", append(full, "--tls-ca", "/nosuch"), []string{"--tls-ca: ", "/nosuch"}},
		{"no authority", append(full, "--tls-ca", nothing), []string{"--tls-ca: ", "holds no certificate"}},
		{"half a certificate", append(full, "--tls-cert", nothing), []string{"--tls-cert and --tls-key go together"}},
		{"no certificate", append(full, "--tls-cert", nothing, "--tls-key", nothing), []string{"--tls-cert and --tls-key: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), test.args, &stdout, &stderr, environment{}); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("no %q in %q", want, stderr.String())
				}
			}
			if stdout.Len() > 0 {
				t.Errorf("unasked on standard output: %q", stdout.String())
			}
		})
	}
}

func TestHelpHasExamplesAndIsNoError(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--help", "joinsync demo"},
		{"demo --help", "joinsync demo --json"},
		{"join --help", "joinsync join --bootstrap localhost:9092 --group billing --topic orders"},
		{"help json", "at_ms"},
		{"--version", "joinsync version "},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr, environment{}); code != exitOK || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, %q on standard error", test.args, code, stderr.String())
		}
		if !strings.Contains(stdout.String(), test.want) {
			t.Errorf("%s: no %q in\n%s", test.args, test.want, stdout.String())
		}
	}
}

func TestHelpFitsIntoATerminal(t *testing.T) {
	for _, page := range []string{"", "demo", "join", "serve", "conform", "assign", "json"} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append([]string{"help"}, strings.Fields(page)...), &stdout, &stderr, environment{}); code != exitOK {
			t.Fatalf("%s: exit code %d, %q", page, code, stderr.String())
		}
		for line := range strings.Lines(stdout.String()) {
			if width := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > 120 {
				t.Errorf("help %s: a line of %d characters; break it before 120: %s", page, width, line)
			}
		}
	}
}

func TestASignalThatComesTwiceIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		var heeded atomic.Bool
		heedSecond(ctx, func() { heeded.Store(true) })
		time.Sleep(time.Hour)
		signal()
		time.Sleep(sameSignal - time.Millisecond)
		if synctest.Wait(); heeded.Load() {
			t.Error("a signal at once after the first ends the program")
		}
		time.Sleep(time.Millisecond)
		if synctest.Wait(); !heeded.Load() {
			t.Error("a later one does not")
		}
	})
}

func TestDemoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"demo"}, &stdout, &stderr, environment{}); code != exitOK || stderr.Len() > 0 {
			t.Errorf("exit code %d, %q on standard error", code, stderr.String())
		}
		if !strings.HasSuffix(stdout.String(), "every check holds\n") {
			t.Errorf("printed\n%s", stdout.String())
		}
	})
}
