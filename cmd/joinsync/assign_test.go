package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const shopFile = "../../examples/assign/shop.json"

// assign runs joinsync assign with a standard input.
func assign(t *testing.T, environment environment, stdin io.Reader, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	environment.stdin = stdin
	code := run(t.Context(), append([]string{"assign"}, args...), &stdout, &stderr, environment)
	return result{code, stdout.String(), stderr.String()}
}

func TestAssignShowsAPlan(t *testing.T) {
	shop, err := os.ReadFile(shopFile)
	if err != nil {
		t.Fatal(err)
	}
	file := assign(t, environment{}, strings.NewReader(""), "--assignor", "sticky", shopFile)
	file.want(t, exitOK, []string{"3 members, 2 topics, 9 partitions\n", "\nanna ", "sticky\npartitions a member", "3 to 3, spread 0\n"}, nil)
	if piped := assign(t, environment{}, bytes.NewReader(shop), "-a", "Sticky"); piped != file {
		t.Errorf("of standard input it shows\n%s%s", piped.stdout, piped.stderr)
	}
	if named := assign(t, environment{}, bytes.NewReader(shop), "-a", "Sticky", "-"); named != file {
		t.Errorf("of - it shows\n%s%s", named.stdout, named.stderr)
	}
}

// TestAssignReadsWhatItPrints: a report is an input too, with the assignor that it names.
func TestAssignReadsWhatItPrints(t *testing.T) {
	printed := assign(t, environment{}, nil, "-a", "cooperative-sticky", "--compare", "range", "--json", shopFile)
	printed.want(t, exitOK, []string{`{"in":{"topics":`, `"assignor":"cooperative-sticky","out":`, `"pre":`, `"facts":{"n":9,`, `"compare":{"assignor":"range","out":`}, nil)
	var report struct{ Out, Pre map[string]map[string][]int32 }
	if err := json.Unmarshal([]byte(printed.stdout), &report); err != nil || len(report.Out) != 3 || len(report.Pre["carl"]["orders"]) != 3 {
		t.Errorf("got %+v, %v", report, err)
	}
	assign(t, environment{}, strings.NewReader(printed.stdout)).want(t, exitOK, []string{"\nheld back until given up "}, nil)
	assign(t, environment{}, strings.NewReader(printed.stdout), "-a", "range").want(t, exitOK, []string{"range\npartitions a member"}, nil)
}

func TestAssignDraws(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "plan.svg")
	assign(t, environment{}, nil, "-a", "sticky", "--compare", "range", "--svg", svg, shopFile).want(t, exitOK, []string{"sticky  in  out  far  range"}, nil)
	drawing, err := os.ReadFile(svg)
	if err != nil || !strings.HasPrefix(string(drawing), "<svg ") || !strings.Contains(string(drawing), "range: 2 to 4 partitions a member") {
		t.Errorf("drawn is %s, %v", drawing, err)
	}
}

func TestAssignAnswersLines(t *testing.T) {
	const cases = "../../examples/assign/cases.jsonl"
	assign(t, environment{}, nil, "--jsonl", cases).want(t, exitOK, []string{
		`{"id":"new","out":{"anna":{"orders":[0,1]},"bert":{"orders":[2]}}}` + "\n",
		`{"id":"grows","out":`, `"bert":{}`, `"pre":`,
	}, nil)
	in := `{"id":1,"in":{"topics":[],"members":[]}}`
	assign(t, environment{}, strings.NewReader(in), "--jsonl", "-a", "range").want(t, exitOK, []string{`{"id":1,"out":{}}`}, nil)
	assign(t, environment{}, strings.NewReader(in+"\n{\n"), "--jsonl").want(t, exitError, []string{
		`{"id":1,"error":"line 1: assignor is missing: use ` + assignorNames() + `, or --assignor for all such lines"}`,
		`{"error":"line 2: the JSON ends too early: `,
	}, []string{"standard input: 2 of 2 lines got an error"})
}

// TestAssignByLag, which a file tells or does not.
func TestAssignByLag(t *testing.T) {
	const group = `{"topics":[{"name":"t","parts":3%s}],"members":[{"id":"a","subs":["t"]},{"id":"b","subs":["t"]}]}`
	assign(t, environment{}, strings.NewReader(fmt.Sprintf(group, `,"lag":[5,9,3]`)), "-a", "lag-aware").want(t, exitOK,
		[]string{"a          1    9  t 1\n", "b          2    8  t 0,2\n"}, nil)
	assign(t, environment{}, strings.NewReader(fmt.Sprintf(group, "")), "-a", "lag-aware").want(t, exitError, nil,
		[]string{`assignor "lag-aware": `, `offsets are not known here: topic "t" has no lag in the input: give a list of that of each partition`})
}

// TestAssignFailsInOneLine has what goes wrong after a right call.
func TestAssignFailsInOneLine(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"no such file", "", []string{"-a", "range", "/nosuch"}, "open /nosuch: "},
		{"no such file of cases", "", []string{"--jsonl", "/nosuch"}, "open /nosuch: "},
		{"a fault in the file", `{"topics":[{"name":"t","parts":-1}],"members":[]}`, []string{"-a", "range"}, "standard input:1: topics[0].parts is -1: use 0"},
		{"an assignor of the file", `{"assignor":"fair","in":{"topics":[],"members":[]}}`, nil, `the input's assignor is "fair": use range, `},
		{"no folder for the drawing", "", []string{"-a", "range", "--svg", "/nosuch/a.svg", shopFile}, "--svg: open /nosuch/a.svg: "},
		{"a record that is too large", "", []string{"-a", "range", "--max-message-bytes", "300", shopFile},
			"with range the group's record has 509 bytes, more than the broker's limit of 300: raise max.message.bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assign(t, environment{}, strings.NewReader(test.stdin), test.args...).want(t, exitError, nil, []string{test.want})
		})
	}
}

func TestAssignOfALiveGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := conformable(t, "broker.rack=east")
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return network.Dial(ctx) }
		environment := environment{dial: dial}
		live := func(args ...string) result {
			return assign(t, environment, nil, append([]string{"-a", "sticky", "-b", "127.0.0.1:9092"}, args...)...)
		}
		live("-g", "shop").want(t, exitError, nil, []string{`group "shop": there is none of the classic protocol: check the name`})
		req := kmsg.NewPtrCreateTopicsRequest()
		topic := kmsg.NewCreateTopicsRequestTopic()
		topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "orders", 3, 1
		req.Topics = append(req.Topics, topic)
		for range 2 {
			member, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(dial), kgo.ConsumerGroup("shop"),
				kgo.ConsumeTopics("orders"), kgo.ClientID("anna"), kgo.DisableAutoCommit())
			if err != nil {
				t.Fatal(err)
			}
			defer member.Close()
			if _, err := req.RequestWith(t.Context(), member); err != nil { // of which the first one makes it
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		live("-g", "shop").want(t, exitOK, []string{"group shop, which shares by ", "2 members, 1 topic, 3 partitions\n", "anna-", "moved to another member  0 of 3\n"}, nil)
		live("-g", "shop", "--compare", "lag-aware").want(t, exitOK, []string{"  lag-aware  in  out  lag\n"}, nil)
		live("-g", "shop", "--json").want(t, exitOK, []string{`{"group":"shop","in":{"topics":[{"name":"orders","parts":3,"racks":[["east"],["east"],["east"]]}`, `"members":[{"id":"anna-`}, nil)
	})
	synctest.Test(t, func(t *testing.T) {
		environment := environment{dial: answering(t, "").network.DialContext}
		assign(t, environment, nil, "-a", "sticky", "-b", "127.0.0.1:9092", "-g", "shop").want(t, exitError, nil, []string{"127.0.0.1:9092", "TLS"})
	})
}

func TestWrongCallsOfAssignNameEveryFlagAndItsCure(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"-a fair --compare fairer x", []string{`--assignor is "fair": use ` + assignorNames(), `--compare is "fairer": use range`}},
		{shopFile, []string{"--assignor is missing, and the input names none: use range"}},
		{"-a range -b localhost", []string{"--group is missing: "}},
		{"-a range -g shop", []string{"--bootstrap is missing: "}},
		{"-a range -g shop -b localhost x", []string{"--bootstrap and --group, and the file x, are both given: leave one of them out"}},
		{"--jsonl --json x", []string{"--jsonl goes with --assignor and a file only: leave the other flags out"}},
		{"-a range --max-message-bytes -1 --patience 0s x", []string{"--max-message-bytes is -1: use more than 0", "--patience is 0s: use more than that"}},
		{"x y", []string{"2 files are given: give one"}},
	} {
		r := assign(t, environment{}, strings.NewReader(""), strings.Fields(test.args)...)
		for _, want := range append(test.want, "Try 'joinsync assign --help'") {
			if r.code != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, want) {
				t.Errorf("%s: exit code %d, no %q in %q", test.args, r.code, want, r.stderr)
			}
		}
	}
	terminal, err := os.Open(os.DevNull) // which is a character device too
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if r := assign(t, environment{}, terminal, "-a", "range"); r.code != exitUsage || !strings.Contains(r.stderr, "there is no input: give a file") {
		t.Errorf("exit code %d, %q", r.code, r.stderr)
	}
}

// TestExamplesOfAssignRun runs those of its help that need no cluster.
func TestExamplesOfAssignRun(t *testing.T) {
	help := assign(t, environment{}, nil, "--help")
	t.Chdir("../..")
	ran := 0
	for _, line := range regexp.MustCompile(`(?m)^  joinsync assign .*examples/.*$`).FindAllString(help.stdout, -1) {
		args := strings.Fields(strings.ReplaceAll(line, "plan.svg", filepath.Join(t.TempDir(), "plan.svg")))[2:]
		if i := len(args) - 2; args[i] == "<" {
			args = append(args[:i], args[i+1])
		}
		if r := assign(t, environment{}, nil, args...); r.code != exitOK || r.stdout == "" || r.stderr != "" {
			t.Errorf("%s: exit code %d, %q", line, r.code, r.stderr)
		}
		ran++
	}
	if ran != 3 {
		t.Errorf("%d examples", ran)
	}
}

func TestAssignEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stdin, typed := io.Pipe()
	defer typed.Close()
	go func() {
		typed.Write([]byte("{")) // it reads
		cancel(errInterrupt)
	}()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"assign", "-a", "range"}, &stdout, &stderr, environment{stdin: stdin})
	if code != exitError || stderr.String() != "joinsync: "+errInterrupt.Error()+"\n" {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
