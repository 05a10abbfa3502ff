package assignor_test

import (
	"bufio"
	"encoding/json"
	"iter"
	"os"
	"reflect"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// vectorCase is a line of testdata/vectors, whose README gives the format.
type vectorCase struct {
	ID  string                      `json:"id"`
	In  input                       `json:"in"`
	Out map[string]map[string][]int `json:"out"`
}

func TestRangeAnswersAsJava(t *testing.T) {
	testVectors(t, assignor.Range{}, "../testdata/vectors/range.jsonl", 200)
}

func TestRoundRobinAnswersAsJava(t *testing.T) {
	testVectors(t, assignor.RoundRobin{}, "../testdata/vectors/roundrobin.jsonl", 150)
}

func testVectors(t *testing.T, a assignor.Assignor, file string, cases int) {
	seen := 0
	for line := range vectorLines(t, file) {
		seen++
		var v vectorCase
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if out := solve(t, a, v.In.join(), v.In.cluster()); !reflect.DeepEqual(out, v.Out) {
			t.Errorf("%s: %s gives\n%v\nJava gives\n%v", v.ID, a.Name(), out, v.Out)
		}
	}
	if seen != cases {
		t.Errorf("%s holds %d cases, not %d", file, seen, cases)
	}
}

// vectorLines yields the lines of a file.
func vectorLines(t *testing.T, file string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !yield(lines.Bytes()) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
