package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A unit says how to write a figure, and in which direction it is better.
type unit uint8

const (
	inTime  unit = iota // seconds, less is better
	asRate              // in a second, more is better
	asCount             // neither
)

// A table has a row for each thing that was measured, and in it the figures of each side, one for each time.
type table struct {
	sides []string
	rows  []*row
}

type row struct {
	title   string
	unit    unit
	figures [][]float64 // by side
}

// add notes one figure of one side.
func (t *table) add(side int, title string, u unit, figure float64) {
	i := slices.IndexFunc(t.rows, func(r *row) bool { return r.title == title })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, &row{title: title, unit: u, figures: make([][]float64, len(t.sides))})
	}
	t.rows[i].figures[side] = append(t.rows[i].figures[side], figure)
}

// print writes medians, and how many times better each side is than the last one, as a table of Markdown that can be read
// as it is.
func (t *table) print(w io.Writer) error {
	last := len(t.sides) - 1
	lines := [][]string{append([]string{""}, t.sides...), {"---"}}
	for range t.sides {
		lines[1] = append(lines[1], "--:")
	}
	for _, side := range t.sides[:last] {
		lines[0] = append(lines[0], side+" to "+t.sides[last])
		lines[1] = append(lines[1], "--:")
	}
	for _, r := range t.rows {
		line := []string{r.title}
		for side := range t.sides {
			line = append(line, r.unit.format(median(r.figures[side])))
		}
		for side := range last {
			line = append(line, r.unit.ratio(median(r.figures[side]), median(r.figures[last])))
		}
		lines = append(lines, line)
	}
	return writeAligned(w, lines)
}

// writeAligned writes lines of cells, all but the first to the right of their column.
func writeAligned(w io.Writer, lines [][]string) error {
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
	_, err := io.WriteString(w, text.String())
	return err
}

func (u unit) format(figure float64) string {
	switch u {
	case inTime:
		return threeDigits(figure*1000) + " ms"
	case asRate:
		return threeDigits(figure/1000) + " k/s"
	default:
		return fmt.Sprintf("%.0f", figure)
	}
}

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

// ratio says how many times better a figure is than the other.
func (u unit) ratio(figure, other float64) string {
	switch u {
	case inTime:
		return fmt.Sprintf("%.1f×", other/figure)
	case asRate:
		return fmt.Sprintf("%.1f×", figure/other)
	default:
		return ""
	}
}

// median returns the middle one of figures, the lower of two.
func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[(len(sorted)-1)/2]
}
