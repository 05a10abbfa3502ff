package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A suite is a part of package group's tests that may catch a fault.
type suite struct {
	title string
	args  []string
}

// wide are the tests that go through many situations rather than one.
const wide = "^(TestEverySmallSituation|TestRandomRuns|TestSimulated.*|TestSameEventsGiveTheSameOutput|TestStatesFollowOnlyOnThoseBeforeThem)$"

var suites = []suite{
	{"tests", []string{"-test.skip", wide}},
	{"small scope", []string{"-test.run", "TestEverySmallSituation"}},
	{"random", []string{"-test.run", "TestRandomRuns"}},
	{"simulator", []string{"-test.run", "TestSimulatedGroup$"}},
}

// catch builds the tests with a fault in place, without touching the tree, and returns for each suite what failed; empty is
// nothing.
func catch(root string, f *fault) ([]string, error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(root, dir, f)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "group.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./group")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%q does not compile: %w\n%s", f.name, err, out)
	}
	var caught []string
	for _, s := range suites {
		failed, err := s.run(root, binary)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.name, err)
		}
		caught = append(caught, failed)
	}
	return caught, nil
}

func writeOverlay(root, dir string, f *fault) (string, error) {
	changed, err := f.read(root)
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(dir, f.file)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "group", f.file): replacement}})
	path := filepath.Join(dir, "overlay.json")
	return path, errors.Join(err, os.WriteFile(replacement, changed, 0o600), os.WriteFile(path, overlay, 0o600))
}

// run runs one suite, and returns what failed first. A fault may make it run or grow without end: that counts too.
func (s *suite) run(root, binary string) (string, error) {
	args := append([]string{"-c", `ulimit -v 8000000; exec "$0" "$@"`, binary, "-test.failfast", "-test.short", "-test.timeout", "2m"}, s.args...)
	test := exec.Command("sh", args...)
	test.Dir = filepath.Join(root, "group")
	out, err := test.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &failed):
		return "", err
	}
	return firstFailure(string(out)), nil
}

var (
	brokenRule = regexp.MustCompile(`seed \d+, \d+ moves: ([^:]+): `)
	failedTest = regexp.MustCompile(`--- FAIL: (\w+)`)
	running    = regexp.MustCompile(`(?m)^\s+(Test\w+) \(`) // in the list that a time-out prints
)

func firstFailure(out string) string {
	for _, pattern := range []*regexp.Regexp{brokenRule, failedTest, running} {
		if m := pattern.FindStringSubmatch(out); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return "it panics"
}
