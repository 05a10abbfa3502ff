package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryRuleIsShownOrExplained(t *testing.T) {
	texts, err := loadTexts(root)
	if err != nil {
		t.Fatal(err)
	}
	if book, _ := readRulebook(texts); len(book.rules) < 600 || len(book.listed) < 10 {
		t.Fatalf("that is not the whole book: %d rules, %d differences", len(book.rules), len(book.listed))
	}
	for _, finding := range checkRules(texts) {
		t.Error(finding)
	}
}

func TestDocumentsReferToWhatThereIs(t *testing.T) {
	texts, err := loadTexts(root)
	if err != nil {
		t.Fatal(err)
	}
	exists := func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err == nil
	}
	for _, finding := range checkReferences(texts, exists) {
		t.Error(finding)
	}
}

// small is a tree in which all is well. § stands for what would make this file cite rules.
var small = map[string]string{
	"docs/semantics.md": "## Where joinsync differs\n\n| rules | shown by |\n|---|---|\n| §002 | `TestA`, [a file](../testdata/scenarios/b/file.txt) |\n\n" +
		"## Sources\n\n| §001 | |\n",
	"docs/semantics/a.md":           "- **§001** One, see §003.\n- **§002** Two.\n  *joinsync differs:* Three.\n",
	"docs/semantics/b.md":           "- **§003** Three.\n- **§004** Four. [One](a.md#one), [Go](https://go.dev)\n",
	"docs/semantics/unshown.md":     "| rules | why |\n|---|---|\n| §004 | nobody can |\n",
	"a/a_test.go":                   "package a\n\n// §001 to\n// §002\nfunc TestA(t *testing.T) {}\n",
	"testdata/scenarios/b/file.txt": "# It holds.\n# §003\n",
}

func smallTree(path, old, new string) (all []*text) {
	for name, source := range small {
		if name == path {
			source = strings.Replace(source, old, new, 1)
		}
		all = append(all, &text{name, []byte(strings.ReplaceAll(source, "§", "G"+"-"))})
	}
	return all
}

func TestRulesAndTheirCitationsAreHeldTogether(t *testing.T) {
	exists := func(path string) bool { return small[path] != "" }
	for _, test := range []struct{ name, path, old, new, want string }{
		{"all is well", "", "", "", ""},
		{"nobody shows a rule", "testdata/scenarios/b/file.txt", "§003", "none", "docs/semantics/b.md:1: nothing shows §003"},
		{"a range ends early", "a/a_test.go", "to\n// §002", "and more", "docs/semantics/a.md:2: nothing shows §002"},
		{"a range of another form", "a/a_test.go", "to\n// §002", "… §002", ""},
		{"prose shows nothing", "a/a_test.go", "§001 to", "only", "docs/semantics/a.md:1: nothing shows §001"},
		{"an explanation is out of date", "testdata/scenarios/b/file.txt", "§003", "§003 §004", "docs/semantics/unshown.md:3: §004 is shown, at testdata/scenarios/b/file.txt:2"},
		{"a number that is no rule", "a/a_test.go", "§001", "§077, §001", "a/a_test.go:3: there is no §077"},
		{"a number that is too short", "docs/semantics/a.md", "One", "§12", "docs/semantics/a.md:1: there is no §012"},
		{"a rule that has gone", "docs/semantics/b.md", "- **§003** Three.\n", "", "docs/semantics: §003 is missing"},
		{"a rule that is stated twice", "docs/semantics/b.md", "**§004**", "**§003**", "docs/semantics/b.md:2: §003 is stated already, at docs/semantics/b.md:1"},
		{"a difference without a reason", "docs/semantics/a.md", "One", "*joinsync differs:*", "docs/semantics/a.md:1: joinsync differs from §001"},
		{"a reason without a difference", "docs/semantics.md", "§002", "§001, §002", "docs/semantics.md:5: §001 is listed"},
		{"a test that has gone", "a/a_test.go", "TestA", "TestB", "docs/semantics.md:5: there is no TestA"},
		{"a file that has gone", "docs/semantics.md", "file.txt", "other.txt", "docs/semantics.md:5: there is no testdata/scenarios/b/other.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			texts := smallTree(test.path, test.old, test.new)
			found := append(checkRules(texts), checkReferences(texts, exists)...)
			want := strings.ReplaceAll(test.want, "§", "G"+"-")
			if test.want == "" && len(found) == 0 {
				return
			}
			for _, finding := range found {
				if test.want != "" && strings.HasPrefix(finding.String(), want) {
					return
				}
			}
			t.Errorf("found %v, want one that starts with %q", found, want)
		})
	}
}
