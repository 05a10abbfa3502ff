package script

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/joinsync/joinsync/testdata"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the answers into the scenarios instead of comparing them")
	from    = flag.String("from", Core, "with -rewrite: the target whose answers are written: 4.4.0, core or 3.9.2")
)

// eachScenario runs a subtest for every scenario of testdata/scenarios.
func eachScenario(t *testing.T, run func(t *testing.T, s *Script)) {
	t.Helper()
	tree, err := fs.Sub(testdata.Scenarios, "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) == 0 {
		t.Fatal("no scenarios")
	}
	for _, s := range scripts {
		t.Run(s.Name(), func(t *testing.T) { run(t, s) })
	}
}

// runScript runs a script on a backend; with -rewrite it writes the answers into the file.
func runScript(t testing.TB, s *Script, backend Backend) {
	t.Helper()
	run := s.Run
	if *rewrite {
		run = s.Rewrite
	}
	err := run(t.Context(), backend)
	if unfit, ok := errors.AsType[*Unfit](err); ok {
		t.Skip(unfit)
	}
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		path := filepath.Join("../../testdata/scenarios", filepath.FromSlash(s.Path()))
		if err := os.WriteFile(path, []byte(s.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryScenarioSaysWhatItShows(t *testing.T) {
	eachScenario(t, func(t *testing.T, s *Script) {
		if s.Title() == "" || s.Rules() == "" {
			t.Errorf("its title is %q, its rules are %q", s.Title(), s.Rules())
		}
	})
}
