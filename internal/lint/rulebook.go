package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Where the rules of docs/semantics.md stand, and what is said about them.
const (
	rulesFolder = "docs/semantics"
	rulesIndex  = "docs/semantics.md"
	unshownFile = "docs/semantics/unshown.md"
)

// A text is one file that may cite rules.
type text struct {
	path   string // from the root of the repository, with slashes
	source []byte
}

// shows reports whether a citation in the file is a demonstration: it stands in a scenario or a test.
func (t *text) shows() bool {
	return strings.HasPrefix(t.path, "testdata/scenarios/") || strings.HasSuffix(t.path, "_test.go")
}

// at is the place of an offset in the file.
func (t *text) at(offset int) string {
	return fmt.Sprintf("%s:%d", t.path, 1+bytes.Count(t.source[:offset], []byte("\n")))
}

// loadTexts reads everything under root that people write: Go, Markdown and plain text.
func loadTexts(root string) (texts []*text, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && entry.Name()[0] == '.':
			return fs.SkipDir
		case !slices.Contains([]string{".go", ".md", ".txt"}, path.Ext(entry.Name())):
			return nil
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		source, err := os.ReadFile(name)
		texts = append(texts, &text{filepath.ToSlash(relative), source})
		return err
	})
	return texts, err
}

// A citation names a rule.
type citation struct {
	rule  int
	place string
}

// cited matches a rule's number, or a range of them: "G-001", "G-001 to G-003", "G-001…G-003", over two lines of a
// comment too. The pieces keep this file from citing anything.
var cited = regexp.MustCompile(`\bG` + `-(\d+)(?:(?:\s|//)*(?:…|\bto\b)(?:\s|//)*G` + `-(\d+))?`)

// citations lists the rules that a text names, each of a range.
func (t *text) citations() (all []citation) {
	for _, m := range cited.FindAllSubmatchIndex(t.source, -1) {
		first, _ := strconv.Atoi(string(t.source[m[2]:m[3]]))
		last := first
		if m[4] >= 0 {
			last, _ = strconv.Atoi(string(t.source[m[4]:m[5]]))
		}
		for rule := min(first, last); rule <= max(first, last); rule++ {
			all = append(all, citation{rule, t.at(m[0])})
		}
	}
	return all
}

// A rulebook is the rules as the documents have them.
type rulebook struct {
	rules   map[int]string // where each is stated
	last    int            // the highest number
	differs map[int]string // those that say that joinsync differs: where
	listed  map[int]string // those in the tables of differences: where
	unshown map[int]string // those that a table says why nobody shows: where
}

var (
	stated     = regexp.MustCompile(`(?m)^- \*\*G` + `-(\d{3})\*\* `)
	tableCell  = regexp.MustCompile(`(?m)^\| (G` + `-[^|]*?) \|`)
	differing  = []byte("*joinsync differs:*")
	aboutRules = regexp.MustCompile(`(?m)^## Where joinsync differs$(?s:.*?)^## `)
)

// readRulebook reads the documents, and finds rules that are stated twice or not at all.
func readRulebook(texts []*text) (*rulebook, []finding) {
	book := &rulebook{
		rules: map[int]string{}, differs: map[int]string{}, listed: map[int]string{}, unshown: map[int]string{},
	}
	var found []finding
	for _, t := range texts {
		switch {
		case t.path == rulesIndex:
			book.list(t, aboutRules.FindIndex(t.source), book.listed)
		case t.path == unshownFile:
			book.list(t, []int{0, len(t.source)}, book.unshown)
		case path.Dir(t.path) == rulesFolder:
			found = append(found, book.state(t)...)
		}
	}
	for rule := 1; rule <= book.last; rule++ {
		if book.rules[rule] == "" {
			found = append(found, finding{rulesFolder, ruleName(rule) + " is missing; a rule that has gone keeps its line and says so"})
		}
	}
	return book, found
}

// state reads the rules that one document states.
func (b *rulebook) state(t *text) (found []finding) {
	starts := stated.FindAllSubmatchIndex(t.source, -1)
	for i, m := range starts {
		rule, _ := strconv.Atoi(string(t.source[m[2]:m[3]]))
		place := t.at(m[0])
		if before := b.rules[rule]; before != "" {
			found = append(found, finding{place, fmt.Sprintf("%s is stated already, at %s; keep one", ruleName(rule), before)})
		}
		b.rules[rule] = place
		b.last = max(b.last, rule)
		end := len(t.source)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if bytes.Contains(t.source[m[0]:end], differing) {
			b.differs[rule] = place
		}
	}
	return found
}

// list reads the first column of the tables in a part of a text.
func (b *rulebook) list(t *text, part []int, into map[int]string) {
	if part == nil {
		return
	}
	for _, m := range tableCell.FindAllSubmatchIndex(t.source[part[0]:part[1]], -1) {
		cell := &text{t.path, t.source[part[0]+m[2] : part[0]+m[3]]}
		for _, c := range cell.citations() {
			into[c.rule] = t.at(part[0] + m[0])
		}
	}
}

func ruleName(rule int) string { return fmt.Sprintf("G"+"-%03d", rule) }
