package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the root module; nested modules have their folder after it.
const module = "github.com/joinsync/joinsync"

// A finding is one breach of a rule, in words that end with the cure.
type finding struct {
	place string // "folder/file.go:12", or a folder
	text  string
}

func (f finding) String() string { return f.place + ": " + f.text }

// A file is one Go file of the tree.
type file struct {
	path   string // from the root of the repository, with slashes
	source []byte
	fset   *token.FileSet
	syntax *ast.File
}

// folder returns the file's folder from the root of the repository, "." for the root itself.
func (f *file) folder() string { return path.Dir(f.path) }

// test reports whether the file belongs to its package's tests.
func (f *file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// find makes a finding about the file at a position.
func (f *file) find(at token.Pos, format string, args ...any) finding {
	return finding{fmt.Sprintf("%s:%d", f.path, f.fset.Position(at).Line), fmt.Sprintf(format, args...)}
}

// A tree is all of the repository that the rules look at.
type tree struct {
	root    string
	modules []string // folders with a go.mod, from the root, "." first
	files   []*file
}

// main returns the files of the root module.
func (t *tree) main() (files []*file) {
	for _, f := range t.files {
		nested := slices.ContainsFunc(t.modules, func(m string) bool { return m != "." && within(f.folder(), m+"/...") })
		if !nested {
			files = append(files, f)
		}
	}
	return files
}

// load reads and parses the tree that has the given root.
func load(root string) (*tree, error) {
	t := &tree{root: root}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != root && (base == "testdata" || strings.ContainsAny(base[:1], "._")) {
				return fs.SkipDir
			}
			return nil
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.Name() == "go.mod" {
			t.modules = append(t.modules, path.Dir(relative))
		}
		if path.Ext(relative) != ".go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parsed, err := parse(fset, relative, source)
		if err != nil {
			return err
		}
		t.files = append(t.files, parsed)
		return nil
	})
	slices.Sort(t.modules) // the root, which is ".", before all others
	return t, err
}

// parse makes a file of its source.
func parse(fset *token.FileSet, path string, source []byte) (*file, error) {
	syntax, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{path: path, source: source, fset: fset, syntax: syntax}, nil
}

// packages returns the files of each folder that are not tests.
func packages(files []*file) map[string][]*file {
	folders := make(map[string][]*file)
	for _, f := range files {
		if !f.test() {
			folders[f.folder()] = append(folders[f.folder()], f)
		}
	}
	return folders
}
