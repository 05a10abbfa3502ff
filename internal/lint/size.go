package lint

import (
	"bytes"
	"go/ast"
	"strings"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 70
)

// checkSize finds files and functions that are too long to be read at a glance. The functions of tests may be longer:
// a table of cases is no complexity.
func checkSize(files []*file) (found []finding) {
	for _, f := range files {
		if lines := bytes.Count(f.source, []byte("\n")); lines > maxFileLines {
			found = append(found, f.find(f.syntax.Package, "the file has %d lines, more than %d; "+
				"look for the seam between its concerns and give each a file named for it", lines, maxFileLines))
		}
		if f.test() {
			continue
		}
		for _, declaration := range f.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			lines := f.fset.Position(function.End()).Line - f.fset.Position(function.Pos()).Line + 1
			if lines > maxFunctionLines {
				found = append(found, f.find(function.Pos(), "%s has %d lines, more than %d; "+
					"push the branches up and the loops down into functions of their own", function.Name.Name, lines, maxFunctionLines))
			}
		}
	}
	return found
}

// vague lists names that say nothing of what is inside.
var vague = []string{"base", "common", "helper", "helpers", "misc", "shared", "util", "utils"}

// checkNames finds folders and files that are named for nothing.
func checkNames(files []*file) (found []finding) {
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(f.path, ".go"), "_test")
		for _, part := range strings.Split(name, "/") {
			for _, word := range vague {
				if part == word {
					found = append(found, finding{f.path, "the name " + word + " says nothing; name it for the one concern it has"})
				}
			}
		}
	}
	return found
}
