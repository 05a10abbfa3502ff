package lint

import (
	"go/token"
	"strings"
	"testing"
)

// source is one file of a small tree in which a rule has something to find, or nothing.
type source struct{ path, text string }

func parsed(t *testing.T, sources ...source) (files []*file) {
	t.Helper()
	fset := token.NewFileSet()
	for _, s := range sources {
		f, err := parse(fset, s.path, []byte(s.text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func TestEachRuleFindsWhatItIsFor(t *testing.T) {
	lines := strings.Repeat("\n", maxFileLines+1)
	statements := strings.Repeat("\tprintln()\n", maxFunctionLines-1)
	imports := func(files []*file) []finding { return checkImports(files, table) }
	words := func(files []*file) []finding { return eachSource(files, checkWords) }
	for _, test := range []struct {
		name  string
		check func([]*file) []finding
		path  string
		text  string
		want  string // the start of the only finding, "" for none
	}{
		{"the machine has no clock", imports, "group/a.go", "package group\nimport \"time\"", "group/a.go:2: group must not import time"},
		{"the machine has no lock", imports, "group/a.go", "package group\nimport \"sync\"", "group/a.go:2: group must not import sync"},
		{"the machine has no wire", imports, "group/a.go", "package group\nimport \"" + module + "/protocol\"", "group/a.go:2: group must not import " + module + "/protocol"},
		{"the machine may sort", imports, "group/a.go", "package group\nimport \"slices\"", ""},
		{"its tests may do more", imports, "group/a_test.go", "package group\nimport \"time\"", ""},
		{"the wire has no sockets", imports, "protocol/a.go", "package protocol\nimport \"net\"", "protocol/a.go:2: protocol must not import net"},
		{"the wire knows kmsg", imports, "protocol/a.go", "package protocol\nimport \"" + kmsg + "\"", ""},
		{"an assignor has no network", imports, "assignor/x/a.go", "package x\nimport \"net/http\"", "assignor/x/a.go:2: assignor/x must not import net/http"},
		{"client does not meet coordinator", imports, "client/a.go", "package client\nimport \"" + module + "/coordinator\"", "client/a.go:2: client must not import"},
		{"coordinator does not meet client", imports, "coordinator/a.go", "package coordinator\nimport \"" + module + "/client\"", "coordinator/a.go:2: coordinator must not import"},
		{"kgo stays in its transport", imports, "client/a.go", "package client\nimport \"" + kgo + "/pkg/kgo\"", "client/a.go:2: client must not import"},
		{"there kgo is welcome", imports, "client/kgotransport/a.go", "package kgotransport\nimport \"" + kgo + "/pkg/kgo\"", ""},
		{"a new package needs a row", imports, "broker/a.go", "package broker", "broker/a.go: no row for broker"},
		{"a long file", checkSize, "a/a.go", "package a" + lines, "a/a.go:1: the file has 501 lines"},
		{"a long function", checkSize, "a/a.go", "package a\nfunc f() {\n" + statements + "}", "a/a.go:2: f has 71 lines"},
		{"a function just short enough", checkSize, "a/a.go", "package a\nfunc f() {\n" + statements[len("\tprintln()\n"):] + "}", ""},
		{"a long test", checkSize, "a/a_test.go", "package a\nfunc f() {\n" + statements + "}", ""},
		{"a vague folder", checkNames, "util/a.go", "package util", "util/a.go: the name util says nothing"},
		{"a vague test", checkNames, "a/helpers_test.go", "package a", "a/helpers_test.go: the name helpers"},
		{"a name that only contains one", checkNames, "a/utility.go", "package a", ""},
		{"unfinished work", words, "a/a.go", "package a\n// TO" + "DO: more", "a/a.go:2: \"TO" + "DO\" marks unfinished work"},
		{"unfinished work in words", words, "a/a.go", "package a\nvar err = \"Not yet impl" + "emented\"", "a/a.go:2: "},
		{"no contract", checkContracts, "a/a.go", "package a", "a: package a has no package comment"},
		{"a contract elsewhere", checkContracts, "a/a.go", "// Package a is.\npackage a", "a/a.go: move the package comment to a/doc.go"},
		{"a contract in its place", checkContracts, "a/doc.go", "// Package a is.\npackage a", ""},
		{"a command's in its only file", checkContracts, "cmd/a/main.go", "// Command a does.\npackage main", ""},
		{"a bare function", checkComments, "a/a.go", "package a\nfunc F() {}", "a/a.go:2: exported F has no doc comment"},
		{"a bare method", checkComments, "a/a.go", "package a\ntype t[K any] struct{}\nfunc (t[K]) F() {}\n// T is.\ntype T[K any] struct{}\nfunc (*T[K]) F() {}", "a/a.go:6: exported F"},
		{"a method that all know", checkComments, "a/a.go", "package a\n// T is.\ntype T int\nfunc (T) String() string { return \"\" }", ""},
		{"a bare type", checkComments, "a/a.go", "package a\ntype T int", "a/a.go:2: exported T"},
		{"a bare method of an interface", checkComments, "a/a.go", "package a\n// T is.\ntype T interface {\n\tF()\n}", "a/a.go:4: exported F"},
		{"a bare constant", checkComments, "a/a.go", "package a\nconst C = 1", "a/a.go:2: exported C"},
		{"constants under one comment", checkComments, "a/a.go", "package a\n// All of them.\nconst (\n\tC = 1\n\tD = 2\n)", ""},
		{"a variable with its comment behind", checkComments, "a/a.go", "package a\nvar (\n\tV = 1 // is one\n)", ""},
		{"a sleep that nothing ends", checkSleeps, "a/a.go", "package a\nimport \"time\"\nfunc f() { time.Sleep(1) }", "a/a.go:3: nothing can end this"},
		{"a test that guesses", checkSleeps, "a/a_test.go", "package a\nimport \"time\"\nfunc TestF() { time.Sleep(1) }", "a/a_test.go:3: time.Sleep in a test"},
		{"a test in a bubble", checkSleeps, "a/a_test.go", "package a\nfunc TestF() { synctest.Test(t, func() { time.Sleep(1) }) }", ""},
		{"a test beside its bubble", checkSleeps, "a/a_test.go", "package a\nfunc TestF() { synctest.Test(t, nil); time.Sleep(1) }", "a/a_test.go:2: "},
		{"a test in a bubble of its own make", checkSleeps, "a/a_test.go", "package a\nfunc bubble() { synctest.Test(t, nil) }\nfunc TestF() { bubble(func() { time.Sleep(1) }) }", ""},
		{"a step of bubbles", checkSleeps, "a/a_test.go", "package a\nfunc TestF() { synctest.Test(t, nil) }\nfunc step() { time.Sleep(1) }", ""},
		{"a step without bubbles", checkSleeps, "a/a_test.go", "package a\nfunc step() { time.Sleep(1) }", "a/a_test.go:2: "},
		{"a global logger", checkLogging, "a/a.go", "package a\nfunc f() { zap.L().Info(\"x\") }", "a/a.go:2: this is the global logger"},
		{"a crooked line", checkFormat, "a/a.go", "package a\nvar  x int\n", "a/a.go: is not as gofmt writes it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := test.check(parsed(t, source{test.path, test.text}))
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %v where all is well", found)
			case test.want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), test.want)):
				t.Errorf("found %v, want one that starts with %q", found, test.want)
			}
		})
	}
}

func TestAContractStandsInOneFile(t *testing.T) {
	found := checkContracts(parsed(t, source{"a/doc.go", "// Package a is.\npackage a"}, source{"a/b.go", "// Package a is more.\npackage a"}))
	if len(found) != 1 || !strings.Contains(found[0].String(), "a/doc.go and a/b.go") {
		t.Errorf("found %v", found)
	}
}

// A finding without a cure is of no use to who meets it.
func TestEveryRowOfTheTableSaysWhatToDo(t *testing.T) {
	for _, row := range table {
		if everything := len(row.may) == 1 && row.may[0] == ""; row.why == "" && !everything {
			t.Errorf("the row of %s does not say what to do instead", row.folder)
		}
	}
}
