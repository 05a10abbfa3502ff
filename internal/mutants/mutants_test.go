package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func TestEveryFaultFitsTheCode(t *testing.T) {
	faults, err := parseFaults(faultsText)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, f := range faults {
		if _, err := f.read(root); err != nil {
			t.Error(err)
		}
		if names[f.name] {
			t.Errorf("%q is there twice", f.name)
		}
		names[f.name] = true
	}
	written, err := os.ReadFile(filepath.Join(root, table))
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.Contains(string(written), "| "+name+" |") {
			t.Errorf("%q is not in %s: run make mutants", name, table)
		}
	}
}

func TestFaultThatDoesNotFitIsAnError(t *testing.T) {
	source := []byte("func f() {\n\tg()\n\th()\n\tg()\n}\n")
	for _, out := range [][]string{nil, {"g()"}, {"i()"}, {"h()", "h()"}} {
		if _, err := (&fault{out: out}).apply(source); err == nil {
			t.Errorf("%q was taken out", out)
		}
	}
	changed, err := (&fault{out: []string{"h()", "g()"}, in: []string{"i()"}}).apply(source)
	if want := "func f() {\n\tg()\ni()\n}\n\n"; err != nil || string(changed) != want {
		t.Errorf("got %q, %v, want %q", changed, err, want)
	}
}

func TestFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the tests of the core once for each fault; make mutants tries them all")
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := parseFaults(faultsText)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i := range faults {
		if !slices.Contains(handful, faults[i].name) {
			continue
		}
		tried++
		if caught, err := catch(absolute, &faults[i]); err != nil || strings.Join(caught, "") == "" {
			t.Errorf("%q is not caught: %v", faults[i].name, err)
		}
	}
	if tried != len(handful) {
		t.Errorf("%d of %d faults are there", tried, len(handful))
	}
}

// handful are the faults that each run of the tests tries.
var handful = []string{
	"a removed member's session timer stays", "a second join takes the place of the first without a word",
	"commits are answered before they are stored", "of two transactions the one that ends first wins",
}
