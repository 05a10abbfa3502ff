package preview

import (
	"strings"
	"unicode/utf8"
)

// A grid is rows of cells, the heads first. Columns of numbers are aligned to the right, all others and the first to the left.
type grid [][]string

func (g grid) write(text *strings.Builder) {
	widths := make([]int, len(g[0]))
	numeric := make([]bool, len(g[0]))
	for column := range widths {
		numeric[column] = column > 0
		for i, row := range g {
			widths[column] = max(widths[column], utf8.RuneCountInString(row[column]))
			numeric[column] = numeric[column] && (i == 0 || strings.Trim(row[column], "+-0123456789") == "")
		}
	}
	for _, row := range g {
		var line strings.Builder
		for column, cell := range row {
			padding := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell))
			if numeric[column] {
				line.WriteString(padding + cell)
			} else {
				line.WriteString(cell + padding)
			}
			line.WriteString("  ")
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
