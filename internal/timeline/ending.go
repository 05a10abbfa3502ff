package timeline

import (
	"fmt"
	"strings"
)

// story writes a partition's line of the table at the end.
func (t *text) story(m moment) {
	s := m.Story
	cell := 4
	for _, owner := range s.Owners {
		cell = max(cell, len([]rune(clean(owner))))
	}
	if t.stories++; t.stories == 1 {
		var generations strings.Builder
		for i := range s.Owners {
			fmt.Fprintf(&generations, "%-*d  ", cell, i+1)
		}
		t.blank()
		fmt.Fprintf(&t.b, "%*s%s\n", margin, "", t.bold(fmt.Sprintf("%-14s%s%8s%8s%11s",
			"generation", generations.String(), "records", "read", "committed")))
	}
	fmt.Fprintf(&t.b, "%*s%-14s", margin, "", fmt.Sprintf("%s %d", clean(s.Topic), s.Partition))
	for _, owner := range s.Owners {
		name := clean(owner)
		if name == "" {
			name = "-"
		}
		t.b.WriteString(t.member(owner, name) + strings.Repeat(" ", cell-len([]rune(name))+2))
	}
	fmt.Fprintf(&t.b, "%8d%8d%11d\n", s.Records, s.Reads, s.Committed)
}

// check writes what was checked, and beside or below it what came of that.
func (t *text) check(m moment) {
	if t.stories >= 0 {
		t.blank()
		t.stories = -1
	}
	mark, paint := t.green("✓"), t.dim
	if !m.Outcome.OK {
		mark, paint = t.red("✗"), t.red
	}
	const column = margin + 36
	fmt.Fprintf(&t.b, "%*s%s %-*s  ", margin, "", mark, column-margin-4, m.Text)
	t.wrap(max(column, margin+4+visible(m.Text)), column, paint(m.Outcome.Detail))
}

func (t *text) closed(m moment) {
	words := t.bold(m.Text)
	if m.Failed > 0 {
		words = t.red(m.Text)
	}
	t.blank()
	t.b.WriteString(t.time(m))
	t.wrap(margin, margin, words)
}
