package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A file is one parsed script. It keeps every line as it was written, so that rewriting changes answers and nothing
// else.
type file struct {
	path  string
	lines []any // string: kept as it is (comment, blank); *step
}

// A step is one instruction and the lines that are expected to come of it.
type step struct {
	line int      // of the instruction, from 1
	raw  string   // the instruction as it was written
	only []string // the targets that run it; none: all
	text string   // the instruction without its tag
	want []wanted
}

// wanted is one expected line.
type wanted struct {
	only []string // the targets that answer so; none: every target without lines of its own
	text string
}

// nothing stands for an empty answer where a target differs from the others by not answering.
const nothing = "nothing"

// parseFile splits a script into steps. It reports every malformed line together.
func parseFile(path, text string) (*file, error) {
	f := &file{path: path}
	var errs []error
	var last *step
	for i, raw := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		trimmed := strings.TrimSpace(raw)
		indented := raw != strings.TrimLeft(raw, " \t")
		if trimmed == "" || (!indented && trimmed[0] == '#') {
			f.lines = append(f.lines, raw)
			last = nil
			continue
		}
		only, body, err := cutTag(trimmed)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s:%d: %w", path, i+1, err))
		case indented && last == nil:
			errs = append(errs, fmt.Errorf("%s:%d: an indented line is an answer and must stand right below a step",
				path, i+1))
		case indented:
			last.want = append(last.want, wanted{only, body})
		default:
			last = &step{line: i + 1, raw: strings.TrimRight(raw, " \t"), only: only, text: body}
			f.lines = append(f.lines, last)
		}
	}
	return f, errors.Join(errs...)
}

// cutTag splits "[3.9.2 core] rest" into the targets and the rest.
func cutTag(text string) (only []string, rest string, err error) {
	if !strings.HasPrefix(text, "[") {
		return nil, text, nil
	}
	tag, rest, ok := strings.Cut(text[1:], "]")
	if !ok {
		return nil, "", fmt.Errorf("the tag %q has no closing bracket", text)
	}
	only = strings.Fields(tag)
	for _, name := range only {
		if !slices.Contains(targetNames, name) {
			return nil, "", fmt.Errorf("the tag names the target %q; targets are %s", name, strings.Join(targetNames, ", "))
		}
	}
	rest = strings.TrimSpace(rest)
	if len(only) == 0 || rest == "" {
		return nil, "", fmt.Errorf("the tag %q names no target or marks nothing", text)
	}
	return only, rest, nil
}

// steps returns the instructions in order.
func (f *file) steps() []*step {
	var steps []*step
	for _, l := range f.lines {
		if s, ok := l.(*step); ok {
			steps = append(steps, s)
		}
	}
	return steps
}

// runsOn reports whether the target executes the step.
func (s *step) runsOn(target string) bool {
	return len(s.only) == 0 || slices.Contains(s.only, target)
}

// api returns the name of the API that the step asks, or nothing if it is not a request.
func (s *step) api() string {
	words := strings.Fields(s.text)
	if len(words) < 2 || !strings.HasSuffix(words[0], ":") {
		return ""
	}
	return words[1]
}

// wantOf returns what the target is expected to answer: the lines tagged with it, or else the untagged ones.
func (s *step) wantOf(target string) []string {
	var own, all []string
	for _, w := range s.want {
		switch {
		case len(w.only) == 0:
			all = append(all, w.text)
		case slices.Contains(w.only, target):
			own = append(own, w.text)
		}
	}
	if own == nil {
		return all
	}
	if len(own) == 1 && own[0] == nothing {
		return nil
	}
	return own
}

// rewrite makes got the expected lines of the target. The untagged lines are those of the base; another target gets tagged
// lines where it differs from them.
func (s *step) rewrite(target string, base bool, got []string) {
	var rest []wanted // the lines that do not speak of this target
	var common []string
	for _, w := range s.want {
		if len(w.only) == 0 {
			common = append(common, w.text)
			if !base {
				rest = append(rest, w)
			}
			continue
		}
		w.only = slices.DeleteFunc(slices.Clone(w.only), func(t string) bool { return t == target })
		if len(w.only) > 0 {
			rest = append(rest, w)
		}
	}
	var own []wanted
	switch {
	case base:
		for _, text := range got {
			own = append(own, wanted{text: text})
		}
		s.want = append(own, rest...)
		return
	case slices.Equal(got, common):
	case len(got) == 0:
		own = []wanted{{[]string{target}, nothing}}
	default:
		for _, text := range got {
			own = append(own, wanted{[]string{target}, text})
		}
	}
	s.want = append(rest, own...)
}

// isBase reports whether the target's answers to the step stand untagged: it is the first of targetNames that runs it.
func (h head) isBase(target string, s *step) bool {
	for _, t := range targetNames {
		if h.skip[t] == "" && s.runsOn(t) {
			return t == target
		}
	}
	return false
}

// String renders the file. Answers are indented by two spaces.
func (f *file) String() string {
	var b strings.Builder
	for _, l := range f.lines {
		s, ok := l.(*step)
		if !ok {
			fmt.Fprintln(&b, strings.TrimRight(l.(string), " \t"))
			continue
		}
		fmt.Fprintln(&b, s.raw)
		for _, w := range s.want {
			b.WriteString("  ")
			if len(w.only) > 0 {
				fmt.Fprintf(&b, "[%s] ", strings.Join(w.only, " "))
			}
			fmt.Fprintln(&b, w.text)
		}
	}
	return b.String()
}
