package kafkatest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestAProgramIsStoppedAndItsOutputRead(t *testing.T) {
	for script, want := range map[string]string{
		`trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.01; done`: "",
		`trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.01; done`: "sh: exit status 3",
	} {
		p := kafkatest.StartProgram(t, "/bin/sh", "-c", script)
		output := bufio.NewReader(p.Stdout)
		if line, err := output.ReadString('\n'); line != "up\n" {
			t.Fatal(line, err)
		}
		if err := p.Stop(); err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%v, want %s", err, want)
		}
		if rest, err := io.ReadAll(output); strings.TrimSpace(string(rest)) != "bye" || err != nil {
			t.Errorf("%q, %v", rest, err)
		}
	}
	p := kafkatest.StartProgram(t, "/bin/sh", "-c", "exec sleep 1000")
	p.Kill()
	if rest, err := io.ReadAll(p.Stdout); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestTheOutputOfAProgramThatEnds(t *testing.T) {
	for _, test := range []struct{ script, want, err string }{
		{"echo one; echo two", "one\ntwo\n", ""},
		{"echo one; echo sorry >&2; exit 3", "one\n", "sh: exit status 3; it printed:\none\n\nsorry"},
	} {
		output, err := kafkatest.StartProgram(t, "/bin/sh", "-c", test.script).Output(t.Context())
		if output != test.want || err == nil && test.err != "" || err != nil && strings.TrimSpace(err.Error()) != test.err {
			t.Errorf("%q, %v; want %+v", output, err, test)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kafkatest.StartProgram(t, "/bin/sh", "-c", "exec sleep 1000").Output(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("of one that would not end: %v", err)
	}
}

func TestAMainClassOfKafkasJars(t *testing.T) {
	output, err := kafkatest.StartJava(t, kafkatest.V4_4_0, 64, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--version").Output(t.Context())
	if err != nil || !strings.HasPrefix(output, "4.4.0") {
		t.Errorf("%q, %v", output, err)
	}
}
