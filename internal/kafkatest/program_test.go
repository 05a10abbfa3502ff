package kafkatest_test

import (
	"bufio"
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
