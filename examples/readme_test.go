package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsShowWhatRuns holds every Go block of the README and of the page on assignors to the examples, those of assignor too: its
// lines stand together in one of them, but for their indentation.
func TestDocumentsShowWhatRuns(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*/*.go", "../assignor/example*_test.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	var programs []string
	for _, file := range files {
		program, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, flush(string(program)))
	}
	for _, document := range []string{"../README.md", "../docs/assignors.md"} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(blocks) < 2 {
			t.Fatalf("%s has %d Go blocks", document, len(blocks))
		}
		for _, block := range blocks {
			if !slices.ContainsFunc(programs, func(program string) bool { return strings.Contains(program, flush(block[1])) }) {
				t.Errorf("no example has these lines of %s; change both together:\n%s", document, block[1])
			}
		}
	}
}

// flush takes the indentation away.
func flush(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
