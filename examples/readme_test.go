package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeShowsWhatRuns holds every Go block of the README to the examples: its lines stand together in one of them,
// but for their indentation.
func TestReadmeShowsWhatRuns(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/main.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	var programs []string
	for _, file := range files {
		program, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, flush(string(program)))
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 2 {
		t.Fatalf("the README has %d Go blocks", len(blocks))
	}
	for _, block := range blocks {
		found := false
		for _, program := range programs {
			found = found || strings.Contains(program, flush(block[1]))
		}
		if !found {
			t.Errorf("no program in examples/ has these lines; change both together:\n%s", block[1])
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
