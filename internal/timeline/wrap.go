package timeline

import "strings"

// wrap writes words on lines of the timeline's width. The first one starts at column first, where the writer stands
// already; the others are indented by rest. A word that is longer than a line is broken, unless it is coloured.
func (t *text) wrap(first, rest int, words string) {
	column, start := first, true
	newline := func() {
		t.b.WriteString("\n" + strings.Repeat(" ", rest))
		column, start = rest, true
	}
	for word := range strings.FieldsSeq(words) {
		length := visible(word)
		if !start && column+1+length > t.width {
			newline()
		}
		if !start {
			t.b.WriteByte(' ')
			column++
		}
		for column+length > t.width && !strings.Contains(word, "\x1b") {
			runes := []rune(word)
			room := max(1, t.width-column)
			t.b.WriteString(string(runes[:room]))
			word, length = string(runes[room:]), length-room
			newline()
		}
		t.b.WriteString(word)
		column += length
		start = false
	}
	t.b.WriteByte('\n')
}

// visible counts the columns of a word: its runes, without colours.
func visible(word string) (n int) {
	colour := false
	for _, r := range word {
		switch {
		case r == '\x1b':
			colour = true
		case colour:
			colour = r != 'm'
		default:
			n++
		}
	}
	return n
}
