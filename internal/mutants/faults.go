package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed faults.txt
var faultsText string

// fault is one small change of package group that must not go unnoticed.
type fault struct {
	name string
	file string
	out  []string // lines, without indentation
	in   []string
}

// parseFaults reads the faults of a text, which faults.txt describes on its top.
func parseFaults(text string) ([]fault, error) {
	var faults []fault
	for block := range strings.SplitSeq(text, "\n\n") {
		title, rest, _ := strings.Cut(strings.TrimSpace(block), "\n")
		name, ok := strings.CutPrefix(title, "# ")
		if !ok {
			continue // the explanation on the top
		}
		lines := strings.Split(rest, "\n")
		f := fault{name: name, file: lines[0]}
		for _, line := range lines[1:] {
			text := strings.TrimSpace(strings.TrimLeft(line, "+-"))
			switch line[0] {
			case '-':
				f.out = append(f.out, text)
			case '+':
				f.in = append(f.in, text)
			default:
				return nil, fmt.Errorf("%s: %q is neither a line to take out nor one to put in", name, line)
			}
		}
		faults = append(faults, f)
	}
	return faults, nil
}

// apply returns the file with the fault in it.
func (f *fault) apply(source []byte) ([]byte, error) {
	lines := strings.Split(string(source), "\n")
	at, found := 0, 0
	for i := range lines {
		if f.matches(lines[i:]) {
			at, found = i, found+1
		}
	}
	if found != 1 || len(f.out) == 0 {
		return nil, fmt.Errorf("%q fits %s in %d places, not in one; change it in faults.txt with the code", f.name, f.file, found)
	}
	var b bytes.Buffer
	for i, line := range lines {
		if i == at {
			b.WriteString(strings.Join(f.in, "\n") + "\n")
		}
		if i < at || i >= at+len(f.out) {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes(), nil
}

func (f *fault) matches(lines []string) bool {
	if len(lines) < len(f.out) {
		return false
	}
	for i, line := range f.out {
		if strings.TrimSpace(lines[i]) != line {
			return false
		}
	}
	return true
}

// read returns the changed source of the fault's file below the module's root.
func (f *fault) read(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, "group", f.file))
	if err != nil {
		return nil, err
	}
	return f.apply(source)
}
