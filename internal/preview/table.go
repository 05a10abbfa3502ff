package preview

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/internal/vector"
)

const (
	shownMembers = 20 // of a group that is shown whole
	shownOfMany  = 10 // of a larger one
	shownNotes   = 8
	maxCell      = 72 // runes of a cell
)

// Table writes one plan, or two beside each other, for people. Of a large group it shows the members that most changes for,
// unless all are asked for.
func Table(w io.Writer, in *vector.Input, reports []*Report, all bool) error {
	t := table{in: in, reports: reports}
	shown := t.choose(all)
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s, %s\n\n", number(len(in.Members), "member"), number(len(in.Topics), "topic"),
		number(reports[0].Facts.Assigned, "partition"))
	t.members(shown).write(&text)
	if rest := len(in.Members) - len(shown); rest > 0 {
		fmt.Fprintf(&text, "… and %s, which change no more than these; --all shows them too\n", number(rest, "more member"))
	}
	text.WriteByte('\n')
	t.summary().write(&text)
	t.notes(&text)
	_, err := io.WriteString(w, text.String())
	return err
}

type table struct {
	in      *vector.Input
	reports []*Report
}

// choose lists the members to show, in their order.
func (t *table) choose(all bool) []int {
	shown := make([]int, len(t.in.Members))
	for i := range shown {
		shown[i] = i
	}
	if all || len(shown) <= shownMembers {
		return shown
	}
	changes := func(m int) (n int) {
		for _, r := range t.reports {
			n += r.Members[m].In + r.Members[m].Out
		}
		return n
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(changes(b), changes(a)) })
	shown = shown[:shownOfMany]
	slices.Sort(shown)
	return shown
}

// owned reports whether anybody owned anything before.
func (t *table) owned() bool { return t.reports[0].Facts.Previous > 0 }

// racked reports whether members and topics have racks.
func (t *table) racked() bool {
	return slices.ContainsFunc(t.reports[0].Members, func(m MemberFacts) bool { return m.Rack != "" }) &&
		slices.ContainsFunc(t.in.Topics, func(t vector.Topic) bool { return t.Racks != nil })
}

// lagging reports whether it is known how far the group lags.
func (t *table) lagging() bool { return lags(t.in) != nil }

// members is the grid with a row for each member.
func (t *table) members(shown []int) grid {
	first := t.reports[0]
	names := timeline.ShortNames(memberIDs(t.in))
	head := []string{"member"}
	if t.racked() {
		head = append(head, "rack")
	}
	if t.owned() {
		head = append(head, "now")
	}
	for _, r := range t.reports {
		gets := "gets"
		if len(t.reports) > 1 {
			gets = r.Assignor
		}
		head = append(head, gets)
		if t.owned() {
			head = append(head, "in", "out")
		}
		if t.racked() {
			head = append(head, "far")
		}
		if t.lagging() {
			head = append(head, "lag")
		}
	}
	if len(t.reports) == 1 {
		head = append(head, "partitions")
	}
	g := grid{head}
	for _, i := range shown {
		m := first.Members[i]
		row := []string{timeline.Clean(names[m.ID], maxCell/2)}
		if t.racked() {
			row = append(row, timeline.Clean(m.Rack, maxCell/3))
		}
		if t.owned() {
			row = append(row, fmt.Sprint(m.Before))
		}
		for _, r := range t.reports {
			row = append(row, t.cells(r, i)...)
		}
		g = append(g, row)
	}
	return g
}

// cells are those of one member under one plan.
func (t *table) cells(r *Report, i int) []string {
	m := r.Members[i]
	cells := []string{fmt.Sprint(m.After)}
	if t.owned() {
		cells = append(cells, signed("+", m.In), signed("-", m.Out))
	}
	if t.racked() {
		cells = append(cells, signed("", m.Mismatches))
	}
	if t.lagging() {
		cells = append(cells, fmt.Sprint(m.Lag))
	}
	if len(t.reports) == 1 {
		cells = append(cells, timeline.Clean(timeline.Partitions(r.planned()[m.ID]).String(), maxCell))
	}
	return cells
}

// planned is where the plan leads to.
func (r *Report) planned() map[string]Partitions {
	if r.Pre != nil {
		return r.Pre
	}
	return r.Out
}

// summary is the grid with a column for each plan.
func (t *table) summary() grid {
	g := grid{{""}}
	add := func(label string, value func(r *Report) string) {
		row := []string{label}
		for _, r := range t.reports {
			row = append(row, value(r))
		}
		g = append(g, row)
	}
	for _, r := range t.reports {
		g[0] = append(g[0], r.Assignor)
	}
	add("partitions a member", func(r *Report) string {
		return fmt.Sprintf("%d to %d, spread %d", r.Facts.Min, r.Facts.Max, r.Facts.Max-r.Facts.Min)
	})
	if t.owned() {
		add("moved to another member", func(r *Report) string { return fmt.Sprintf("%d of %d", r.Facts.Moved, r.Facts.Previous) })
	}
	if slices.ContainsFunc(t.reports, func(r *Report) bool { return r.Facts.Withheld > 0 }) {
		add("held back until given up", func(r *Report) string {
			if r.Pre == nil {
				return "-"
			}
			return fmt.Sprint(r.Facts.Withheld)
		})
	}
	if t.racked() {
		add("far from their member's rack", func(r *Report) string { return fmt.Sprintf("%d of %d", r.Facts.Mismatches, r.Facts.Assigned) })
	}
	add("largest assignment", func(r *Report) string { return bytesText(r.Record.Assignment) })
	add("the group's record", func(r *Report) string { return r.Record.String() })
	return g
}

// notes lists what was dropped, of the first plan: the same as of the second but for what only one of them reads.
func (t *table) notes(text *strings.Builder) {
	for i, note := range t.reports[0].Notes {
		if i == shownNotes {
			fmt.Fprintf(text, "… and %s\n", number(len(t.reports[0].Notes)-i, "more note"))
			return
		}
		if i == 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(text, "note: %s\n", timeline.Clean(note, 4*maxCell))
	}
}

func memberIDs(in *vector.Input) []string {
	ids := make([]string, len(in.Members))
	for i, m := range in.Members {
		ids[i] = m.ID
	}
	return ids
}

func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func signed(sign string, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(sign, n)
}
