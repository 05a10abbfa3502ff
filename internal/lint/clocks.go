package lint

import (
	"go/ast"
	"slices"
	"strings"
)

// checkSleeps finds sleeps on a real clock. Elsewhere than in tests nobody could wake the sleeper; in a test a sleep is a
// guess, unless it is inside a bubble of testing/synctest, where it is exact and takes no time. A function that is no test
// by itself is taken to be called from a bubble when its package's tests have one.
func checkSleeps(files []*file) (found []finding) {
	makers := bubbleMakers(files)
	for _, f := range files {
		bubbles := append([]string{"synctest.Test"}, makers[f.folder()]...)
		for _, declaration := range f.syntax.Decls {
			around := calls(declaration, bubbles...)
			for _, sleep := range calls(declaration, "time.Sleep") {
				inBubble := slices.ContainsFunc(around, func(b ast.Node) bool { return b.Pos() <= sleep.Pos() && sleep.End() <= b.End() })
				_, hasBubbles := makers[f.folder()]
				switch {
				case !f.test():
					found = append(found, f.find(sleep.Pos(), "nothing can end this time.Sleep; "+
						"select on a timer and on the context or channel that ends the wait"))
				case !inBubble && (runsByItself(declaration) || !hasBubbles):
					found = append(found, f.find(sleep.Pos(), "time.Sleep in a test guesses how long something takes; "+
						"run it inside synctest.Test, or wait for the thing itself"))
				}
			}
		}
	}
	return found
}

// bubbleMakers returns, for each folder whose tests have a bubble, the functions that make one, and so stand for
// synctest.Test where they are called.
func bubbleMakers(files []*file) map[string][]string {
	makers := make(map[string][]string)
	for _, f := range files {
		if !f.test() {
			continue
		}
		for _, declaration := range f.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && len(calls(function, "synctest.Test")) > 0 {
				makers[f.folder()] = append(makers[f.folder()], function.Name.Name)
			}
		}
	}
	return makers
}

// runsByItself reports whether go test calls a function.
func runsByItself(declaration ast.Decl) bool {
	function, ok := declaration.(*ast.FuncDecl)
	return ok && slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(prefix string) bool {
		return strings.HasPrefix(function.Name.Name, prefix)
	})
}

// calls returns the calls below a node of functions with the given names, "time.Sleep" or "bubble".
func calls(below ast.Node, names ...string) (found []ast.Node) {
	ast.Inspect(below, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok && slices.Contains(names, callee(call)) {
			found = append(found, call)
		}
		return true
	})
	return found
}

// callee returns the name of what is called, with the package or variable in front, empty if it has no such name.
func callee(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		if x, ok := function.X.(*ast.Ident); ok {
			return x.Name + "." + function.Sel.Name
		}
	}
	return ""
}
