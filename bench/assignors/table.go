package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// print writes the tables as Markdown that can be read as it is: the time of each row, the plans where they differ, and the memory
// of each assignor.
func (b *bench) print(w io.Writer, rows []row) error {
	var text strings.Builder
	text.WriteString("\n")
	for i, r := range rows {
		if i == 0 || rows[i-1].workload.letter != r.workload.letter {
			fmt.Fprintf(&text, "- %s\n", r.workload.title())
		}
	}
	text.WriteString("\n**Time**; in the last column, the fastest of the others to " + b.sides[0].name + ".\n\n")
	text.WriteString(aligned(b.times(rows)))
	if differing := b.plans(rows); len(differing) > 2 {
		text.WriteString("\n**Plans** that differ: the standard deviation of the members' numbers of partitions, and the partitions\n" +
			"that are taken from an owner who is there. In the other rows they are alike in both.\n\n")
		text.WriteString(aligned(differing))
	} else {
		text.WriteString("\n**Plans**: all are as even as the others of their row, and take as many partitions from an owner who is there.\n")
	}
	text.WriteString("\n**Memory** that one run allocates on the heap, in the round that needs the most.\n\n")
	text.WriteString(aligned(b.memories(rows)))
	_, err := io.WriteString(w, text.String())
	return err
}

// label names a row in the tables.
func (r row) label() string { return fmt.Sprintf("(%s) %s", r.workload.letter, r.title()) }

// header is the first two lines of a table with a column for each side.
func (b *bench) header(before, after []string) [][]string {
	names := append([]string{""}, before...)
	for _, s := range b.sides {
		names = append(names, s.name)
	}
	names = append(names, after...)
	rule := []string{"---"}
	for range names[1:] {
		rule = append(rule, "--:")
	}
	return [][]string{names, rule}
}

func (b *bench) times(rows []row) [][]string {
	lines := b.header([]string{"goal"}, []string{"×"})
	for _, r := range rows {
		line := []string{r.label(), milliseconds(r.workload.goal(r.assignor))}
		var fastest time.Duration
		for i, f := range r.figures {
			line = append(line, f.or(milliseconds(f.cpu)))
			if i > 0 && f.none == "" && (fastest == 0 || f.cpu < fastest) {
				fastest = f.cpu
			}
		}
		ratio := ""
		if fastest > 0 && r.figures[0].none == "" {
			ratio = threeDigits(fastest.Seconds() / r.figures[0].cpu.Seconds())
		}
		lines = append(lines, append(line, ratio))
	}
	return lines
}

func (b *bench) plans(rows []row) [][]string {
	lines := b.header(nil, nil)
	for _, r := range rows {
		line, seen := []string{r.label()}, map[quality]bool{}
		for _, f := range r.figures {
			line = append(line, f.or(fmt.Sprintf("%.3f, %d", f.worth.spread, f.worth.moved)))
			if f.none == "" {
				seen[f.worth] = true
			}
		}
		if len(seen) > 1 {
			lines = append(lines, line)
		}
	}
	return lines
}

// memories has a line for each assignor on each workload.
func (b *bench) memories(rows []row) [][]string {
	lines := b.header(nil, nil)
	for len(rows) > 0 {
		first := rows[0]
		most := make([]figure, len(b.sides))
		copy(most, first.figures)
		n := 0
		for ; n < len(rows) && rows[n].assignor == first.assignor && rows[n].workload.letter == first.workload.letter; n++ {
			for i, f := range rows[n].figures {
				if f.none == "" && (most[i].none != "" || f.heap > most[i].heap) {
					most[i] = f
				}
			}
		}
		rows = rows[n:]
		line := []string{fmt.Sprintf("(%s) %s", first.workload.letter, first.assignor)}
		for _, f := range most {
			line = append(line, f.or(threeDigits(float64(f.heap)/1e6)+" MB"))
		}
		lines = append(lines, line)
	}
	return lines
}

// or is the text, or why there is no figure.
func (f figure) or(text string) string {
	if f.none != "" {
		return f.none
	}
	return text
}

// aligned is lines of cells, all but the first to the right of their column.
func aligned(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, line := range lines {
		for i, cell := range line {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString("| " + cell + padding + " |")
			} else {
				text.WriteString(" " + padding + cell + " |")
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

func milliseconds(d time.Duration) string { return threeDigits(d.Seconds()*1000) + " ms" }

// threeDigits writes a figure as exactly as it was measured, at best.
func threeDigits(figure float64) string {
	switch {
	case figure < 10:
		return fmt.Sprintf("%.2f", figure)
	case figure < 100:
		return fmt.Sprintf("%.1f", figure)
	default:
		return fmt.Sprintf("%.0f", figure)
	}
}
