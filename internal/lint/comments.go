package lint

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// checkContracts finds packages whose contract does not stand once, in doc.go. A command's may stand in any one file.
func checkContracts(files []*file) (found []finding) {
	folders := packages(files)
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		var documented []*file
		for _, f := range folders[folder] {
			if f.syntax.Doc != nil {
				documented = append(documented, f)
			}
		}
		name := folders[folder][0].syntax.Name.Name
		switch {
		case len(documented) == 0:
			found = append(found, finding{folder, "package " + name + " has no package comment; write its contract into doc.go"})
		case len(documented) > 1:
			found = append(found, finding{folder, "package " + name + " has package comments in " + documented[0].path + " and " +
				documented[1].path + "; its contract stands once, in doc.go"})
		case name != "main" && documented[0].path != folder+"/doc.go":
			found = append(found, finding{documented[0].path, "move the package comment to " + folder + "/doc.go"})
		}
	}
	return found
}

// wellKnown lists methods whose name says all: those of interfaces that every reader of Go knows.
var wellKnown = []string{"Error", "String", "Unwrap", "Is", "As", "Len", "Less", "Swap", "Push", "Pop"}

// checkComments finds exported functions, methods, types, constants, variables and methods of interfaces that have no doc
// comment. Commands export nothing, nor do tests.
func checkComments(files []*file) (found []finding) {
	for _, f := range files {
		if f.test() || f.syntax.Name.Name == "main" {
			continue
		}
		for _, declaration := range f.syntax.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if !exportedFunction(d) || d.Doc != nil || d.Recv != nil && slices.Contains(wellKnown, d.Name.Name) {
					continue
				}
				found = append(found, uncommented(f, d.Name))
			case *ast.GenDecl:
				found = append(found, checkDeclaration(f, d)...)
			}
		}
	}
	return found
}

// checkDeclaration looks at one type, const or var declaration. The comment of a group counts for all in it.
func checkDeclaration(f *file, d *ast.GenDecl) (found []finding) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && cmp.Or(d.Doc, s.Doc, s.Comment) == nil {
				found = append(found, uncommented(f, s.Name))
			}
			if methods, ok := s.Type.(*ast.InterfaceType); ok && s.Name.IsExported() {
				for _, method := range methods.Methods.List {
					if len(method.Names) == 1 && method.Names[0].IsExported() && cmp.Or(method.Doc, method.Comment) == nil {
						found = append(found, uncommented(f, method.Names[0]))
					}
				}
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && cmp.Or(d.Doc, s.Doc, s.Comment) == nil {
					found = append(found, uncommented(f, name))
				}
			}
		}
	}
	return found
}

func uncommented(f *file, name *ast.Ident) finding {
	return f.find(name.Pos(), "exported %s has no doc comment; say what a caller must know: shapes, units, errors, who may "+
		"call it concurrently, and the rule or KIP it comes from", name.Name)
}

// exportedFunction reports whether a function, or a method and its receiver's type, can be seen from outside.
func exportedFunction(d *ast.FuncDecl) bool {
	if !d.Name.IsExported() || d.Recv == nil {
		return d.Name.IsExported()
	}
	receiver := d.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return token.IsExported(r.Name)
		default:
			return false
		}
	}
}
