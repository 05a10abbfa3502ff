package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const table = "docs/mutants.md"

// readRows returns what the table says now: by the fault's name, what each suite caught it by.
func readRows(path string) (map[string][]string, error) {
	rows := make(map[string][]string)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rows, nil
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != len(suites)+4 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows[cells[1]] = cells[3 : 3+len(suites)]
	}
	return rows, err
}

// document is the whole of docs/mutants.md.
func document(faults []fault, rows map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What the tests of the core catch\n\n"+
		"`make mutants` puts each of %d small faults into a copy of `group`, runs its tests, and writes this\n"+
		"table: what failed first. The faults are in [faults.txt](../internal/mutants/faults.txt); one that nothing catches, or that does\n"+
		"not fit the code any more, is an error. `make test` tries a few of them.\n\n"+
		"**tests** are those of `group` that show one behaviour each, **small scope** is `TestEverySmallSituation`, **random**\n"+
		"`TestRandomRuns`, and **simulator** the first seeds of `make sim`, with the rule that was broken.\n\n", len(faults))
	b.WriteString("| fault | file |")
	for _, s := range suites {
		b.WriteString(" " + s.title + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(suites)) + "\n")
	totals := make([]int, len(suites))
	for _, f := range faults {
		if rows[f.name] == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", f.name, f.file)
		for j, what := range rows[f.name] {
			if what != "" {
				totals[j]++
			}
			b.WriteString(" " + what + " |")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| **caught of %d** | |", len(faults))
	for _, n := range totals {
		fmt.Fprintf(&b, " %d |", n)
	}
	b.WriteString("\n")
	return b.String()
}
