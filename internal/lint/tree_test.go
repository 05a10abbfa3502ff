package lint

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is where the repository lies from this folder.
const root = "../.."

// loaded reads the tree. That all its files are opened by the test itself also tells go test when its cached answer for
// this package is out of date, though the tools below run in processes of their own.
func loaded(t *testing.T) *tree {
	t.Helper()
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := load(absolute)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.files) < 50 || len(tree.modules) == 0 || tree.modules[0] != "." {
		t.Fatalf("that is not the whole tree: %d files, modules %v", len(tree.files), tree.modules)
	}
	return tree
}

func TestTreeKeepsTheRules(t *testing.T) {
	tree := loaded(t)
	for name, check := range map[string]func([]*file) []finding{
		"imports point one way":          func(files []*file) []finding { return checkImports(tree.main(), table) },
		"files and functions are short":  checkSize,
		"names say something":            checkNames,
		"contracts stand once":           checkContracts,
		"exported names have comments":   checkComments,
		"nobody sleeps on a real clock":  checkSleeps,
		"files are formatted":            checkFormat,
		"nobody logs on their own":       checkLogging,
		"there is no unfinished Go code": func(files []*file) (found []finding) { return eachSource(files, checkWords) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, finding := range check(tree.files) {
				t.Error(finding)
			}
		})
	}
}

func eachSource(files []*file, check func(path string, text []byte) []finding) (found []finding) {
	for _, f := range files {
		found = append(found, check(f.path, f.source)...)
	}
	return found
}

// checkFormat finds files that gofmt would change.
func checkFormat(files []*file) (found []finding) {
	for _, f := range files {
		if formatted, err := format.Source(f.source); err != nil || string(formatted) != string(f.source) {
			found = append(found, finding{f.path, "is not as gofmt writes it; run make fmt"})
		}
	}
	return found
}

func TestProseHasNoUnfinishedWork(t *testing.T) {
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		if ext := path.Ext(name); ext != ".md" && ext != ".sh" && ext != ".txt" && entry.Name() != "Makefile" {
			return nil
		}
		text, err := os.ReadFile(name)
		for _, finding := range checkWords(name, text) {
			t.Error(finding)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestVetFindsNothing(t *testing.T) {
	for _, folder := range loaded(t).modules {
		run(t, filepath.Join(root, folder), "go", "vet", "./...")
	}
}

// TestStaticcheckFindsNothing builds the version that tools.mod names. A first run fetches it, as it does the modules in
// go.mod.
func TestStaticcheckFindsNothing(t *testing.T) {
	where := exec.Command("go", "tool", "-modfile=internal/lint/tools.mod", "-n", "staticcheck")
	where.Dir, where.Stderr = root, os.Stderr
	staticcheck, err := where.Output()
	if err != nil {
		t.Fatalf("build the staticcheck of internal/lint/tools.mod: %v", err)
	}
	for _, folder := range loaded(t).modules {
		run(t, filepath.Join(root, folder), strings.TrimSpace(string(staticcheck)), "./...")
	}
}

// run fails the test with what a tool prints.
func run(t *testing.T, folder, tool string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("in %s, %s %s: %v\n%s", folder, filepath.Base(tool), strings.Join(args, " "), err, out)
	}
}
