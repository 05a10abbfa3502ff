package preview

import (
	"fmt"
	"io"
	"strings"

	"github.com/joinsync/joinsync/internal/timeline"
)

// What bounds a drawing. Squares are drawn for up to so many partitions, and bars for more.
const (
	maxSquares = 2000
	maxRows    = 100 // members
	maxColumns = 40  // topics
)

// Lengths in a drawing, in pixels.
const (
	square  = 18
	gap     = 3
	perLine = 8 // squares of a cell beside each other
	bar     = 64
	margin  = 16
	letter  = 7 // about the width of one
	rise    = 5 // of one on a slope
)

// SVG draws plans below each other, of the same input: a row for each member, a column for each topic, and in it what the
// member gets of the topic. What does not fit into a readable drawing is counted below it.
func SVG(w io.Writer, plans ...*Solved) error {
	var body strings.Builder
	width, top := 0, 0
	for _, s := range plans {
		d := newDrawing(s)
		fmt.Fprintf(&body, `<g transform="translate(0,%d)">`+"\n", top)
		d.draw(&body)
		body.WriteString("</g>\n")
		width, top = max(width, d.width), top+d.height
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12">`+"\n"+`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n%s</svg>\n",
		width, top, width, top, body.String())
	return err
}

// A drawing is one plan.
type drawing struct {
	solved        *Solved
	cells         [][]cell // by member and topic
	squares       bool
	left          int   // where the cells begin
	columns       []int // where each topic begins, and in the end where the last one ends
	rows          []int // likewise for members
	width, height int
	withheld, far bool // whether anything is
}

// What became of a partition, and how that is drawn.
type fate struct{ text, fill string }

var (
	kept  = &fate{"stays", "#4c78a8"}
	moved = &fate{"moves here", "#f58518"}
	fresh = &fate{"had no owner", "#72b7b2"}
	fates = []*fate{kept, moved, fresh}
)

const farEdge = "#c1272d"

// A cell is what a member gets of a topic.
type cell []part

type part struct {
	*fate
	partition     int
	withheld, far bool
}

func newDrawing(s *Solved) *drawing {
	p := s.plan.Problem()
	d := &drawing{solved: s, squares: p.Partitions() <= maxSquares}
	d.cells = make([][]cell, len(p.Members))
	for m := range d.cells {
		d.cells[m] = make([]cell, min(len(p.Topics), maxColumns))
	}
	before := newOwners(s.in, p)
	for t, topic := range p.Topics[:min(len(p.Topics), maxColumns)] {
		for q := range topic.Partitions {
			m := s.plan.Owner(t, q)
			rack := p.Members[m].Rack
			one := part{fresh, q, s.plan.Withheld(t, q), rack != "" && topic.Replicas != nil && !near(p, topic, q, rack)}
			if was := before.of(t, q); was == m {
				one.fate = kept
			} else if was >= 0 {
				one.fate = moved
			}
			d.withheld, d.far = d.withheld || one.withheld, d.far || one.far
			d.cells[m][t] = append(d.cells[m][t], one)
		}
	}
	d.cells = d.cells[:min(len(d.cells), maxRows)]
	d.layOut()
	return d
}

// layOut finds the place of each row and column.
func (d *drawing) layOut() {
	p := d.solved.plan.Problem()
	d.left = margin
	names := timeline.ShortNames(memberIDs(d.solved.in))
	for m := range d.cells {
		d.left = max(d.left, 2*margin+letter*len(label(names[p.Members[m].ID])))
	}
	most := make([]int, min(len(p.Topics), maxColumns))
	slope := 0
	for _, topic := range p.Topics[:len(most)] {
		slope = max(slope, rise*len(label(topic.Name)))
	}
	d.rows = []int{4*margin + slope}
	for m := range d.cells {
		lines := 1
		for t, c := range d.cells[m] {
			most[t] = max(most[t], len(c))
			lines = max(lines, (len(c)+perLine-1)/perLine)
		}
		if !d.squares {
			lines = 1
		}
		d.rows = append(d.rows, d.rows[m]+lines*(square+gap)+2*gap)
	}
	d.columns = []int{d.left + 4*letter}
	for t := range most {
		width := bar
		if d.squares {
			width = min(max(most[t], 1), perLine) * (square + gap)
		}
		d.columns = append(d.columns, d.columns[t]+width+2*gap)
	}
	d.width = max(d.columns[len(most)]+slope+margin, 720)
	d.height = d.rows[len(d.cells)] + 4*margin
}
