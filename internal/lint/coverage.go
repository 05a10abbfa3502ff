package lint

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checkRules holds the rules of docs/semantics.md, their citations and the tables about them together.
func checkRules(texts []*text) []finding {
	book, found := readRulebook(texts)
	shown := make(map[int]string)
	for _, t := range texts {
		for _, c := range t.citations() {
			if book.rules[c.rule] == "" {
				found = append(found, finding{c.place, fmt.Sprintf("there is no %s; see the index in %s", ruleName(c.rule), rulesIndex)})
			}
			if t.shows() && shown[c.rule] == "" {
				shown[c.rule] = c.place
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(book.rules)) {
		name, place, row := ruleName(rule), book.rules[rule], book.unshown[rule]
		switch by := shown[rule]; {
		case by == "" && row == "":
			found = append(found, finding{place, fmt.Sprintf("nothing shows %s; name it in the test or scenario that does, or say in %s why there is none",
				name, unshownFile)})
		case by != "" && row != "":
			found = append(found, finding{row, fmt.Sprintf("%s is shown, at %s; take it out of the table", name, by)})
		}
		switch marked, listed := book.differs[rule] != "", book.listed[rule]; {
		case marked && listed == "":
			found = append(found, finding{place, fmt.Sprintf("joinsync differs from %s; give the reason in the list of %s", name, rulesIndex)})
		case !marked && listed != "":
			found = append(found, finding{listed, fmt.Sprintf("%s is listed as one that joinsync differs from; say at the rule how, after %q", name, differing)})
		}
	}
	return found
}

var (
	link     = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	testName = regexp.MustCompile("`(?:Test|Fuzz)[A-Z]\\w*`")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// checkReferences finds links to files that are not there and names of tests that nobody has, in Markdown.
func checkReferences(texts []*text, exists func(path string) bool) (found []finding) {
	tests := make(map[string]bool)
	for _, t := range texts {
		for _, m := range testFunc.FindAllSubmatch(t.source, -1) {
			tests[string(m[1])] = true
		}
	}
	for _, t := range texts {
		if path.Ext(t.path) != ".md" {
			continue
		}
		for _, m := range link.FindAllSubmatchIndex(t.source, -1) {
			if target := path.Join(path.Dir(t.path), string(t.source[m[2]:m[3]])); !exists(target) {
				found = append(found, finding{t.at(m[0]), "there is no " + target + "; mend the link"})
			}
		}
		for _, m := range testName.FindAllIndex(t.source, -1) {
			if name := strings.Trim(string(t.source[m[0]:m[1]]), "`"); !tests[name] {
				found = append(found, finding{t.at(m[0]), "there is no " + name + "; name the test that shows this now"})
			}
		}
	}
	return found
}
