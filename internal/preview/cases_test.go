package preview_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
)

// choose knows the assignors of the vectors.
func choose(name string) (assignor.Assignor, error) {
	for _, a := range []assignor.Assignor{assignor.Range{}, assignor.RoundRobin{}, assignor.Sticky{}, assignor.CooperativeSticky{}, assignor.LagAware{}} {
		if a.Name() == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("assignor is %q: use another one", name)
}

// An answer is a line of the answers; a vector has what Java answers in it.
type answer struct {
	ID    json.RawMessage
	Out   map[string]map[string][]int
	Pre   map[string]map[string][]int
	Error string
}

// answers runs cases.
func answers(t *testing.T, in io.Reader) (all []answer, bad int) {
	t.Helper()
	var out bytes.Buffer
	lines, bad, err := preview.Cases(t.Context(), in, &out, choose)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, a)
	}
	if lines != len(all) {
		t.Errorf("%d lines are answered, %d are counted", len(all), lines)
	}
	return all, bad
}

func vectors(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/vectors/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCasesAreAnsweredAsJavaDoes(t *testing.T) {
	for name, want := range map[string]int{"range": 200, "roundrobin": 150} {
		data := vectors(t, name)
		got, bad := answers(t, bytes.NewReader(data))
		if len(got) != want || bad != 0 {
			t.Fatalf("%s: %d answers, %d bad", name, len(got), bad)
		}
		for line := range strings.Lines(string(data)) {
			var java answer
			if err := json.Unmarshal([]byte(line), &java); err != nil {
				t.Fatal(err)
			}
			if ours := got[0]; string(ours.ID) != string(java.ID) || !reflect.DeepEqual(ours.Out, java.Out) || ours.Pre != nil {
				t.Errorf("%s: got %v, Java %v", java.ID, ours, java.Out)
			}
			got = got[1:]
		}
	}
}

// TestPreHasWhatIsWithheld: what a cooperative member is sent is of what it is meant to have, and where that differs, another
// one claims it.
func TestPreHasWhatIsWithheld(t *testing.T) {
	data := vectors(t, "cooperative-sticky")
	got, _ := answers(t, bytes.NewReader(data))
	withheld := 0
	for line := range strings.Lines(string(data)) {
		var c struct{ In vector.Input }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		ours := got[0]
		got = got[1:]
		for id, topics := range ours.Pre {
			for topic, planned := range topics {
				sent := map[int]bool{}
				for _, q := range ours.Out[id][topic] {
					sent[q] = true
				}
				for _, q := range planned {
					if sent[q] {
						delete(sent, q)
						continue
					}
					withheld++
					if !claimed(c.In, topic, q, id) {
						t.Errorf("%s: partition %d of %s is withheld from %s, and no other member claims it", ours.ID, q, topic, id)
					}
				}
				if len(sent) > 0 {
					t.Errorf("%s: %s is sent partitions %v of %s, which are not planned for it", ours.ID, id, sent, topic)
				}
			}
		}
	}
	if withheld < 20 {
		t.Errorf("only %d partitions are withheld", withheld)
	}
}

func claimed(in vector.Input, topic string, partition int, except string) bool {
	for _, m := range in.Members {
		for _, q := range m.Owned[topic] {
			if m.ID != except && int(q) == partition {
				return true
			}
		}
	}
	return false
}

func TestABadLineIsAnsweredAndStopsNoOther(t *testing.T) {
	const good = `{"id":"good","assignor":"range","in":{"topics":[{"name":"t","parts":2}],"members":[{"id":"a","subs":["t"]}]}}`
	for _, test := range []struct{ name, line, id, want string }{
		{"cut off", `{"id":"x"`, "", "the JSON ends too early: give it whole"},
		{"no object", `[1]`, "", "the input is array: give an object"},
		{"no input", `{"id":"x","assignor":"range"}`, `"x"`, "in is missing: give an object"},
		{"a null input", `{"id":"x","assignor":"range","in":null}`, `"x"`, "the input is null"},
		{"an id that no answer can hold", strings.Replace(good, "good", "\xff", 1), "", "id is not in UTF-8"},
		{"a key twice", strings.Replace(good, `{"topics"`, `{"topics":[],"topics"`, 1), `"good"`, "in.topics comes twice: leave one of them out"},
		{"nested too deeply", `{"in":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "", "this is no JSON: "},
		{"an unknown assignor", strings.Replace(good, "range", "fair", 1), `"good"`, `assignor is "fair": use another one`},
		{"an assignor that is no name", `{"id":7,"assignor":7,"in":{}}`, `7`, "assignor is number: give a string"},
		{"a fault in the input", strings.Replace(good, `"parts":2`, `"parts":-2`, 1), `"good"`, "in.topics[0].parts is -2: use 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, bad := answers(t, strings.NewReader("\n"+test.line+"\n"+good))
			if len(got) != 2 || bad != 1 {
				t.Fatalf("got %v, %d bad", got, bad)
			}
			if string(got[0].ID) != test.id || !strings.HasPrefix(got[0].Error, "line 2: "+test.want) {
				t.Errorf("got id %s, %q", got[0].ID, got[0].Error)
			}
			if got[1].Error != "" || len(got[1].Out["a"]["t"]) != 2 {
				t.Errorf("the good line gets %v", got[1])
			}
		})
	}
}

func TestALineThatIsTooLongIsSkipped(t *testing.T) {
	got, bad := answers(t, strings.NewReader(strings.Repeat("x", preview.MaxInput+1)+"\n{}\n"))
	if len(got) != 2 || bad != 2 || !strings.HasPrefix(got[0].Error, "line 1: it is longer than 64 MiB") ||
		!strings.HasPrefix(got[1].Error, "line 2: in is missing") {
		t.Errorf("got %v", got)
	}
}

// endless is the same line over and over, so many times, and what is on the heap when it has been read.
type endless struct {
	line  string
	lines int
	heap  uint64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.lines == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		e.heap = m.HeapAlloc
		return 0, io.EOF
	}
	e.lines--
	return copy(p, e.line), nil
}

func TestMemoryDoesNotGrowWithTheCases(t *testing.T) {
	after := func(lines int) uint64 {
		in := &endless{line: `{"assignor":"sticky","in":{"topics":[{"name":"t","parts":100}],"members":[{"id":"a","subs":["t"]}]}}` + "\n", lines: lines}
		if answered, bad, err := preview.Cases(t.Context(), in, io.Discard, choose); answered != lines || bad != 0 || err != nil {
			t.Fatalf("%d of %d lines are answered, %d badly: %v", answered, lines, bad, err)
		}
		return in.heap
	}
	if few, many := after(10), after(10_000); many > few+1<<20 { // of answers of 300 bytes, and plans of more
		t.Errorf("after 10 cases there are %d bytes, after 10,000 %d", few, many)
	}
}

// TestAnswersDoNotWait: whoever asks one case after the other gets each answer before the next question.
func TestAnswersDoNotWait(t *testing.T) {
	questions, ask := io.Pipe()
	hear, reply := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, _, err := preview.Cases(t.Context(), questions, reply, choose)
		done <- err
		reply.Close()
	}()
	heard := bufio.NewScanner(hear)
	for i := range 3 {
		fmt.Fprintf(ask, `{"id":%d,"assignor":"range","in":{"topics":[],"members":[]}}`+"\n", i)
		if !heard.Scan() || heard.Text() != fmt.Sprintf(`{"id":%d,"out":{}}`, i) {
			t.Fatalf("heard %q, %v", heard.Text(), heard.Err())
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
