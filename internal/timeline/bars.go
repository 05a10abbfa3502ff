package timeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generation writes a header that says what is new, and a bar for each member.
func (t *text) generation(m moment) {
	t.shown = m.Generation
	about := []string{Clean(m.Reason, maxMessage)}
	if m.Protocol != "" {
		about = append(about, clean(m.Protocol))
	}
	if m.Leader != "" {
		about = append(about, "led by "+t.member(m.Leader, clean(m.Leader)))
	}
	t.blank()
	t.b.WriteString(t.time(m))
	t.wrap(margin, margin+2, t.bold(fmt.Sprintf("generation %d", m.Generation))+" · "+strings.Join(about, " · "))

	const shown = 32
	grid := newGrid(m.Topics, m.Members)
	names := 0
	for _, member := range m.Members[:min(shown, len(m.Members))] {
		names = max(names, len([]rune(clean(member.Name))))
	}
	names = min(names, 24)
	for i, member := range m.Members {
		if i == shown {
			fmt.Fprintf(&t.b, "%*s… and %d more members\n", margin, "", len(m.Members)-shown)
			break
		}
		name := Clean(member.Name, names)
		padded := name + strings.Repeat(" ", max(0, names-len([]rune(name))))
		bar := grid.bar(member.Partitions, func(s string) string { return t.member(member.Name, s) }, t.dim)
		fmt.Fprintf(&t.b, "%*s%s  %s", margin, "", t.member(member.Name, padded), bar)
		column := margin + names + 4 + visible(bar)
		if t.width-column >= 20 {
			t.b.WriteString("  ")
		} else {
			column = margin + 2
			t.b.WriteString("\n" + strings.Repeat(" ", column))
		}
		t.wrap(column, column, member.Partitions.String())
	}
	t.blank()

	waiting := t.waiting
	t.waiting = nil
	for _, m := range waiting {
		t.event(m)
	}
}

// A grid is the row of all partitions, on which each member has a bar.
type grid struct {
	topics []string
	counts Counts
	total  int
}

// newGrid makes a grid of all partitions that there are, as far as known, and of those that anyone owns.
func newGrid(known Counts, members []Member) grid {
	g := grid{counts: make(Counts)}
	maps.Copy(g.counts, known)
	for _, m := range members {
		for topic, partitions := range m.Partitions {
			for _, p := range partitions {
				g.counts[topic] = max(g.counts[topic], p+1)
			}
		}
	}
	g.topics = slices.Sorted(maps.Keys(g.counts))
	for _, count := range g.counts {
		g.total += int(count)
	}
	return g
}

const (
	barWidth   = 32 // cells, where there are more partitions than that
	wideCells  = 8  // up to so many partitions, each has three columns and a gap
	cellFull   = '█'
	cellPart   = '▒'
	cellEmpty  = '·'
	topicSplit = "│"
)

// bar draws a member's partitions on the grid.
func (g grid) bar(owned Partitions, full, empty func(string) string) string {
	switch {
	case g.total == 0:
		return ""
	case g.total > barWidth:
		return paintRuns(g.scaled(owned), full, empty)
	}
	var topics []string
	for _, topic := range g.topics {
		cells := make([]rune, 0, g.counts[topic])
		for p := range g.counts[topic] {
			cell := cellEmpty
			if _, ok := slices.BinarySearch(owned[topic], p); ok {
				cell = cellFull
			}
			cells = append(cells, cell)
			if g.total <= wideCells {
				cells = append(cells, cell, cell, ' ')
			}
		}
		topics = append(topics, paintRuns([]rune(strings.TrimRight(string(cells), " ")), full, empty))
	}
	return strings.Join(topics, empty(topicSplit))
}

// scaled draws the partitions of all topics as one row of barWidth cells.
func (g grid) scaled(owned Partitions) []rune {
	var held, all [barWidth]int
	start := 0
	for _, topic := range g.topics {
		count := int(g.counts[topic])
		for p := range count {
			all[(start+p)*barWidth/g.total]++
		}
		for _, p := range owned[topic] {
			if p >= 0 {
				held[(start+int(p))*barWidth/g.total]++
			}
		}
		start += count
	}
	cells := make([]rune, barWidth)
	for i := range cells {
		switch {
		case held[i] == 0:
			cells[i] = cellEmpty
		case held[i] < all[i]:
			cells[i] = cellPart
		default:
			cells[i] = cellFull
		}
	}
	return cells
}

// paintRuns paints full and empty cells, runs of the same together.
func paintRuns(cells []rune, full, empty func(string) string) string {
	var painted strings.Builder
	for first := 0; first < len(cells); {
		last := first
		for last < len(cells) && (cells[last] == cellEmpty) == (cells[first] == cellEmpty) {
			last++
		}
		paint := full
		if cells[first] == cellEmpty {
			paint = empty
		}
		painted.WriteString(paint(string(cells[first:last])))
		first = last
	}
	return painted.String()
}
