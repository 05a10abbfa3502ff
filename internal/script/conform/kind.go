package conform

import (
	"regexp"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/internal/script"
)

// Kind is equal for differences that probably have one cause: the same API lacks the same words and has the same ones too
// many, whatever the numbers, names and members.
func Kind(d script.Difference) string {
	want, got := words(d.Want), words(d.Got)
	missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return slices.Contains(got, w) })
	extra := slices.DeleteFunc(slices.Clone(got), func(w string) bool { return slices.Contains(want, w) })
	if len(missing)+len(extra) == 0 { // the same words in another order or number
		missing, extra = d.Want, d.Got
	}
	return d.API + "\n- " + strings.Join(missing, " ") + "\n+ " + strings.Join(extra, " ")
}

var (
	separators = regexp.MustCompile(`[][() ]+`)
	named      = regexp.MustCompile(`^.*:([A-Z][A-Z_]+)$`)   // group:CODE, topic/0:CODE
	numbers    = regexp.MustCompile(`[0-9a-f-]{20,}|[0-9]+`) // of any kind, and random ids
	members    = regexp.MustCompile(`\$[A-Za-z0-9]+`)
)

// words are those of the answers, sorted, each once.
func words(answers []string) []string {
	var all []string
	for _, answer := range answers {
		for _, word := range separators.Split(answer, -1) {
			word = named.ReplaceAllString(word, ":$1")
			word = members.ReplaceAllString(word, "$$X")
			all = append(all, numbers.ReplaceAllString(word, "0"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
