package script

import (
	"strings"
	"testing"
)

func mustParse(t *testing.T, text string) *file {
	t.Helper()
	f, err := parseFile("a.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const sample = `# A title.

advance 1s
  A Heartbeat → NONE
  [3.9.2] nothing
A: Heartbeat v4
  → NONE
  [3.9.2 core] → UNKNOWN_MEMBER_ID

[core] advance 2s
# The end.
`

func TestFileComesBackAsItWas(t *testing.T) {
	if got := mustParse(t, sample).String(); got != sample {
		t.Errorf("got\n%s", got)
	}
}

func TestTargetsHaveTheirOwnAnswers(t *testing.T) {
	steps := mustParse(t, sample).steps()
	for _, test := range []struct {
		step   int
		target string
		want   string
	}{
		{0, Kafka440, "A Heartbeat → NONE"},
		{0, Core, "A Heartbeat → NONE"},
		{0, Kafka392, ""},
		{1, Kafka440, "→ NONE"},
		{1, Core, "→ UNKNOWN_MEMBER_ID"},
	} {
		if got := strings.Join(steps[test.step].wantOf(test.target), "\n"); got != test.want {
			t.Errorf("step %d on %s: got %q, want %q", test.step, test.target, got, test.want)
		}
	}
	if steps[2].runsOn(Kafka440) || !steps[2].runsOn(Core) {
		t.Error("the last step is for the core alone")
	}
}

func TestRewritingKeepsWhatOtherTargetsAnswer(t *testing.T) {
	const base = "advance 1s\n  one\n  [3.9.2] old\n"
	for _, test := range []struct {
		name, before, target string
		base                 bool
		got                  []string
		after                string
	}{
		{"base", base, Kafka440, true, []string{"two"}, "advance 1s\n  two\n  [3.9.2] old\n"},
		{"base, nothing", base, Kafka440, true, nil, "advance 1s\n  [3.9.2] old\n"},
		{"another", base, Kafka392, false, []string{"new"}, "advance 1s\n  one\n  [3.9.2] new\n"},
		{"another, two lines", base, Core, false, []string{"a", "b"}, "advance 1s\n  one\n  [3.9.2] old\n  [core] a\n  [core] b\n"},
		{"another, the same again", base, Kafka392, false, []string{"one"}, "advance 1s\n  one\n"},
		{"another, nothing", base, Kafka392, false, nil, "advance 1s\n  one\n  [3.9.2] nothing\n"},
		{"one of two", "advance 1s\n  one\n  [3.9.2 core] old\n", Core, false, []string{"new"},
			"advance 1s\n  one\n  [3.9.2] old\n  [core] new\n"},
	} {
		f := mustParse(t, test.before)
		f.steps()[0].rewrite(test.target, test.base, test.got)
		if got := f.String(); got != test.after {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.after)
		}
	}
}

func TestTheBaseIsTheFirstTargetThatRunsAStep(t *testing.T) {
	f := mustParse(t, "skip 4.4.0: a reason\n\nadvance 1s\n[3.9.2] advance 1s\n")
	h, err := f.head()
	if err != nil {
		t.Fatal(err)
	}
	steps := f.steps()
	if !h.isBase(Core, steps[1]) || h.isBase(Kafka392, steps[1]) || h.isBase(Kafka440, steps[1]) {
		t.Error("the core is the base of a step that 4.4.0 skips")
	}
	if !h.isBase(Kafka392, steps[2]) {
		t.Error("a step that one target runs has that target as its base")
	}
}

func TestMalformedFilesAreReportedByLine(t *testing.T) {
	for text, want := range map[string]string{
		"# title\n\n  → NONE\n":            "a.txt:3: an indented line is an answer",
		"advance 1s\n\n  → NONE\n":         "a.txt:3: an indented line is an answer",
		"[4.3] advance 1s\n":               `a.txt:1: the tag names the target "4.3"; targets are 4.4.0, core, 3.9.2`,
		"[core advance 1s\n":               "a.txt:1: the tag",
		"advance 1s\n  [core]\n":           "a.txt:2: the tag",
		"advance 1s\nsettings a=b\n":       "a.txt:2: settings must stand before all other steps",
		"settings group.max.size\n":        "a.txt:1: \"group.max.size\" is no setting",
		"skip 3.9.2\n":                     "a.txt:1: \"3.9.2\" lacks a reason",
		"skip kafka: it is slow\n":         `a.txt:1: there is no target "kafka"`,
		"alone\n":                          "a.txt:1: alone lacks a reason",
		"advance 1s\nalone others\n":       "a.txt:2: alone must stand before all other steps",
		"skip core: no\nadvance\nskip x\n": "a.txt:3: skip must stand before all other steps",
	} {
		f, err := parseFile("a.txt", text)
		if err == nil {
			_, err = f.head()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
