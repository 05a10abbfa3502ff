package preview_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
)

// drawn draws plans, and returns the drawing and the words in it.
func drawn(t *testing.T, plans []*preview.Solved) (svg string, words []string) {
	t.Helper()
	var text strings.Builder
	if err := preview.SVG(&text, plans...); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return text.String(), words
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			words = append(words, string(data))
		}
	}
}

func TestSVGDrawsEachPartition(t *testing.T) {
	svg, words := drawn(t, solved(t, shop(t), "cooperative-sticky", "range"))
	for _, want := range []string{
		"cooperative-sticky: 3 to 3 partitions a member, 5 of 9 moved orders payments anna 3 0 0 2 bert 3 3 4 1 carl 3 1 2 5 stays",
		"held back until given up range: 2 to 4", "anna 4 0 2 0 2 bert 3 1 3 1 carl 2 4 5 stays",
	} {
		if got := strings.Join(words, " "); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if got := strings.Count(svg, `stroke-dasharray="3 2"`); got != 5+1 {
		t.Errorf("%d squares are dashed, want the 5 that are held back and the legend's", got)
	}
}

func TestSVGStaysWellFormedAndSmall(t *testing.T) {
	in := &vector.Input{Members: []vector.Member{{ID: "<&\"\x00\x1b>"}}}
	for i := range 50 {
		name := strings.Repeat("<", i+1)
		in.Topics = append(in.Topics, vector.Topic{Name: name, Parts: 1})
		in.Members[0].Subs = append(in.Members[0].Subs, name)
	}
	_, words := drawn(t, solved(t, in, "range"))
	if got := strings.Join(words, " "); !strings.Contains(got, "not drawn: 0 members, 10 topics") || !strings.Contains(got, "<&\"��>") {
		t.Errorf("drawn is %q", got)
	}
	svg, words := drawn(t, solved(t, large(2000), "sticky"))
	if got := strings.Join(words, " "); !strings.Contains(got, "m0000 3 3 m0001 3 3") || !strings.Contains(got, "not drawn: 1900 members, 0 topics") {
		t.Errorf("drawn is %q", got)
	}
	if len(svg) > 100_000 {
		t.Errorf("the drawing of a large group has %d bytes", len(svg))
	}
}
