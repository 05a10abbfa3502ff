package lint

import (
	"go/ast"
	"slices"
	"strings"
)

// checkSleeps finds sleeps on a real clock. Elsewhere than in tests nobody could wake the sleeper; in a test a sleep is a
// guess, unless it is inside a bubble of testing/synctest, where it is exact and takes no time. A function that is no test
// by itself is taken to be called from a bubble when its file has one.
func checkSleeps(files []*file) (found []finding) {
	for _, f := range files {
		for _, declaration := range f.syntax.Decls {
			bubbles := calls(declaration, "synctest", "Test")
			for _, sleep := range calls(declaration, "time", "Sleep") {
				switch {
				case !f.test():
					found = append(found, f.find(sleep.Pos(), "nothing can end this time.Sleep; "+
						"select on a timer and on the context or channel that ends the wait"))
				case !slices.ContainsFunc(bubbles, func(b ast.Node) bool { return inside(sleep, b) }) &&
					(runsByItself(declaration) || !importsPackage(f, "testing/synctest")):
					found = append(found, f.find(sleep.Pos(), "time.Sleep in a test guesses how long something takes; "+
						"run it inside synctest.Test, or wait for the thing itself"))
				}
			}
		}
	}
	return found
}

// runsByItself reports whether go test calls a function.
func runsByItself(declaration ast.Decl) bool {
	function, ok := declaration.(*ast.FuncDecl)
	return ok && slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(prefix string) bool {
		return strings.HasPrefix(function.Name.Name, prefix)
	})
}

// calls returns the calls of a package's function below a node, "time" and "Sleep".
func calls(below ast.Node, pkg, name string) (found []ast.Node) {
	ast.Inspect(below, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == name {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == pkg {
				found = append(found, call)
			}
		}
		return true
	})
	return found
}

// inside reports whether a node lies within another one of the same file.
func inside(node, outer ast.Node) bool { return outer.Pos() <= node.Pos() && node.End() <= outer.End() }

func importsPackage(f *file, path string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(spec *ast.ImportSpec) bool {
		return strings.Trim(spec.Path.Value, `"`) == path
	})
}
