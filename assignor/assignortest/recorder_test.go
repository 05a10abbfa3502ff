package assignortest_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/joinsync/joinsync/internal/vector"
)

// recorder is a test that keeps its failures.
type recorder struct{ failures []failure }

type failure struct {
	check, text string
	input       string         // empty if it is one of several rounds
	inputs      []vector.Input // the input, or those of the rounds
}

var (
	checkName  = regexp.MustCompile(`fails the check "([^"]*)"`)
	inputLines = regexp.MustCompile(`(?m)^\t(input|round): (.*)$`)
)

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	f := failure{text: fmt.Sprintf(format, args...)}
	if name := checkName.FindStringSubmatch(f.text); name != nil {
		f.check = name[1]
	}
	for _, line := range inputLines.FindAllStringSubmatch(f.text, -1) {
		var in vector.Input
		if err := json.Unmarshal([]byte(line[2]), &in); err != nil {
			f.text += "\nwhich is no input: " + err.Error()
		}
		if line[1] == "input" {
			f.input = line[2]
		}
		f.inputs = append(f.inputs, in)
	}
	r.failures = append(r.failures, f)
}

// failure is that of a check, nil if there is none.
func (r *recorder) failure(check string) *failure {
	for i := range r.failures {
		if r.failures[i].check == check {
			return &r.failures[i]
		}
	}
	return nil
}

// size counts members, topics and partitions.
func (f *failure) size() (n int) {
	for _, in := range f.inputs {
		n += len(in.Members) + len(in.Topics)
		for _, t := range in.Topics {
			n += t.Parts
		}
	}
	return n
}

func (r *recorder) String() string {
	var texts []string
	for _, f := range r.failures {
		texts = append(texts, f.text)
	}
	return strings.Join(texts, "\n")
}
