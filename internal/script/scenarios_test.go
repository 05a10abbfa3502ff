package script_test

import (
	"flag"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/script"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the answers into the scenarios instead of comparing them")
	from    = flag.String("from", script.Core, "with -rewrite: the target whose answers are written: 4.4.0, core or 3.9.2")
)

// eachScenario runs a subtest for every scenario of testdata/scenarios.
func eachScenario(t *testing.T, run func(t *testing.T, path string)) {
	t.Helper()
	const root = "../../testdata/scenarios"
	count := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".txt" {
			return err
		}
		count++
		name, _ := filepath.Rel(root, strings.TrimSuffix(path, ".txt"))
		t.Run(filepath.ToSlash(name), func(t *testing.T) { run(t, path) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Fatalf("no scenarios in %s", root)
	}
}
