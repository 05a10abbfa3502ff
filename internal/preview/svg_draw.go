package preview

import (
	"fmt"
	"html"
	"strings"

	"github.com/joinsync/joinsync/internal/timeline"
)

// draw writes the drawing.
func (d *drawing) draw(w *strings.Builder) {
	p := d.solved.plan.Problem()
	facts, members := d.solved.judge()
	fmt.Fprintf(w, `<text x="%d" y="%d" font-weight="bold">%s: %d to %d partitions a member, %d of %d moved</text>`+"\n",
		margin, 2*margin, label(d.solved.by.Name()), facts.Min, facts.Max, facts.Moved, facts.Previous)
	end := d.columns[len(d.columns)-1]
	for t, x := range d.columns[:len(d.columns)-1] {
		fmt.Fprintf(w, `<text transform="translate(%d,%d) rotate(-45)">%s</text>`+"\n", x+square/2, d.rows[0]-gap*2, label(p.Topics[t].Name))
		fmt.Fprintf(w, `<path d="M%d %dV%d" stroke="#ddd"/>`+"\n", x-2*gap, d.rows[0], d.rows[len(d.cells)])
	}
	names := timeline.ShortNames(memberIDs(d.solved.in))
	for m, y := range d.rows[:len(d.cells)] {
		fmt.Fprintf(w, `<path d="M%d %dH%d" stroke="#ddd"/>`+"\n", margin, y, end)
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`+"\n", margin, y+square-gap, label(names[p.Members[m].ID]))
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end" fill="#777">%d</text>`+"\n", d.left+2*letter, y+square-gap, members[m].After)
		for t, x := range d.columns[:len(d.columns)-1] {
			if d.squares {
				d.cells[m][t].squares(w, x, y+2*gap)
			} else {
				d.cells[m][t].bar(w, x, y+2*gap)
			}
		}
	}
	d.legend(w)
}

// label is a name that somebody else has chosen, fit for XML and bounded.
func label(name string) string { return html.EscapeString(timeline.Clean(name, 24)) }

const dashed = ` stroke-dasharray="3 2"`

// squares draws a partition each.
func (c cell) squares(w *strings.Builder, x, y int) {
	for i, p := range c {
		fill, ink, dash := p.fill, "#fff", ""
		if p.withheld {
			fill, ink, dash = "#fff", "#333", dashed
		}
		edge := p.fill
		if p.far {
			edge = farEdge
		}
		at := fmt.Sprintf(`x="%d" y="%d"`, x+i%perLine*(square+gap), y+i/perLine*(square+gap))
		fmt.Fprintf(w, `<rect %s width="%d" height="%d" rx="2" fill="%s" stroke="%s" stroke-width="2"%s/>`, at, square, square, fill, edge, dash)
		fmt.Fprintf(w, `<text x="%d" y="%d" font-size="9" text-anchor="middle" fill="%s">%d</text>`+"\n",
			x+i%perLine*(square+gap)+square/2, y+i/perLine*(square+gap)+square-6, ink, p.partition)
	}
}

// bar draws how many partitions stay, come and are new, and writes their number on it.
func (c cell) bar(w *strings.Builder, x, y int) {
	if len(c) == 0 {
		return
	}
	seen := 0
	for _, fate := range fates {
		from := seen * bar / len(c)
		for _, p := range c {
			if p.fate == fate {
				seen++
			}
		}
		if to := seen * bar / len(c); to > from {
			fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, x+from, y, to-from, square, fate.fill)
		}
	}
	fmt.Fprintf(w, `<text x="%d" y="%d" font-size="10" text-anchor="middle" fill="#fff">%d</text>`+"\n", x+bar/2, y+square-5, len(c))
}

// legend says what is drawn how, and what is not drawn.
func (d *drawing) legend(w *strings.Builder) {
	y := d.rows[len(d.cells)] + margin
	x := margin
	entry := func(fill, edge, dash, text string) {
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="12" height="12" rx="2" fill="%s" stroke="%s" stroke-width="2"%s/>`, x, y, fill, edge, dash)
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`+"\n", x+square, y+11, text)
		x += square + letter*len(text) + margin
	}
	for _, fate := range fates {
		entry(fate.fill, fate.fill, "", fate.text)
	}
	if d.squares && d.withheld {
		entry("#fff", moved.fill, dashed, "held back until given up")
	}
	if d.squares && d.far {
		entry("#fff", farEdge, "", "far from its member's rack")
	}
	p := d.solved.plan.Problem()
	if members, topics := len(p.Members)-len(d.cells), len(p.Topics)-(len(d.columns)-1); members > 0 || topics > 0 {
		fmt.Fprintf(w, `<text x="%d" y="%d">not drawn: %s, %s</text>`+"\n", margin, y+2*square, number(members, "member"), number(topics, "topic"))
	}
}
