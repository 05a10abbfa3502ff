package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Script is one scenario. It may be run any number of times, concurrently too.
type Script struct {
	file *file
	head head
}

// Parse reads the text of a script. The path is what errors and differences call it. The error names every malformed line.
func Parse(path, text string) (*Script, error) {
	f, err := parseFile(path, text)
	if err != nil {
		return nil, err
	}
	h, err := f.head()
	if err != nil {
		return nil, err
	}
	return &Script{f, h}, nil
}

// Load parses every file of a tree whose name ends with .txt, in the order of their paths, and reports all faults together.
func Load(tree fs.FS) ([]*Script, error) {
	var scripts []*Script
	var errs []error
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".txt" {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		s, err := Parse(name, string(text))
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		scripts = append(scripts, s)
		return nil
	})
	return scripts, errors.Join(append(errs, err)...)
}

// Path is the path that the script was read from.
func (s *Script) Path() string { return s.file.path }

// Name is the path without the .txt at its end.
func (s *Script) Name() string { return strings.TrimSuffix(s.file.path, ".txt") }

// String is the text of the script.
func (s *Script) String() string { return s.file.String() }

// Title is what the script shows: its first comment, in one line.
func (s *Script) Title() string { return s.comment(0) }

// Rules are the numbers of the rules that it shows: its second comment.
func (s *Script) Rules() string { return s.comment(1) }

// comment returns one of the two comments at the top: sentences, which may take several lines, and then a line of rules.
func (s *Script) comment(which int) string {
	var comments [2][]string
	for _, l := range s.file.lines {
		line, _ := l.(string)
		text, ok := strings.CutPrefix(line, "# ")
		if !ok {
			break
		}
		kind := 0
		if ruleLine(text) {
			kind = 1
		}
		comments[kind] = append(comments[kind], text)
	}
	return strings.Join(comments[which], " ")
}

// ruleLine reports whether a comment names rules and proposals and nothing else.
func ruleLine(text string) bool {
	for _, word := range strings.Fields(text) {
		if !strings.HasPrefix(word, "G-") && !strings.HasPrefix(word, "KIP-") {
			return false
		}
	}
	return true
}

// Alone is the reason why no other script may run on the same broker meanwhile; it is empty if others may.
func (s *Script) Alone() string { return s.head.alone }

// Settings are the broker properties that the script needs to have these values.
func (s *Script) Settings() map[string]string { return maps.Clone(s.head.settings) }

// A Request is one that a script sends.
type Request struct {
	API     string
	Key     int16 // of the API
	Version int16
	Refused bool // the broker is expected to close the connection
}

// Requests lists those that the script sends to a target.
func (s *Script) Requests(target string) []Request {
	var requests []Request
	for _, step := range s.file.steps() {
		words := strings.Fields(step.text)
		if len(words) < 3 || !strings.HasSuffix(words[0], ":") || !step.runsOn(target) {
			continue
		}
		api, known := apis[words[1]]
		version, err := strconv.ParseInt(strings.TrimPrefix(words[2], "v"), 10, 16)
		if !known || err != nil {
			continue // running it says so
		}
		req, _ := api(newNamebook("", ""))
		want := step.wantOf(target)
		requests = append(requests, Request{
			API: words[1], Key: req.Key(), Version: int16(version), Refused: len(want) > 0 && strings.HasPrefix(want[0], broken),
		})
	}
	return requests
}

// Has reports whether the script has a step of a kind, such as topics, for a target.
func (s *Script) Has(kind, target string) bool {
	return slices.ContainsFunc(s.file.steps(), func(step *step) bool {
		return strings.Fields(step.text)[0] == kind && step.runsOn(target)
	})
}

// SessionTimeouts lists those with which members join.
func (s *Script) SessionTimeouts() []time.Duration {
	var all []time.Duration
	for _, step := range s.file.steps() {
		for _, word := range strings.Fields(step.text) {
			value, ok := strings.CutPrefix(word, "session=")
			if d, err := duration(value); ok && err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// Run executes the script on a backend. It returns nil if all answers are those expected, [Differences] if not, an [*Unfit] if
// the backend cannot be asked, and another error if the script could not be run to its end. When ctx ends it returns the
// cause. For a target in a bubble it must be called in the bubble.
func (s *Script) Run(ctx context.Context, backend Backend) error {
	return s.execute(ctx, backend, false)
}

// Rewrite executes the script as Run does, and makes the answers the expected ones of the backend. It must not be called
// concurrently with other methods.
func (s *Script) Rewrite(ctx context.Context, backend Backend) error {
	return s.execute(ctx, backend, true)
}

func (s *Script) execute(ctx context.Context, backend Backend, rewrite bool) error {
	if reason, ok := s.head.skip[backend.Name]; ok {
		return &Unfit{reason}
	}
	target, err := backend.Start(s)
	if err != nil {
		return err
	}
	r := newRunner(ctx, target, rewrite)
	defer r.close()
	r.names.anyMember = backend.AnyMemberID
	if backend.Patience > 0 {
		r.patience = backend.Patience
	}
	return r.run(s.file, s.head, backend.Name)
}

// Unfit says why a script is not for a backend.
type Unfit struct{ Reason string }

func (u *Unfit) Error() string { return u.Reason }

// Differences are the steps that were not answered as expected, in order. After an answer that differs in its error code
// the script has not gone on, since what comes builds on what came before; nor after too many differences.
type Differences []Difference

// A Difference is a step that was not answered as expected.
type Difference struct {
	Path      string
	Line      int    // of the step
	Target    string // whose answers are expected
	API       string // that the step asks; empty if it is no request
	Step      string
	Want, Got []string // one answer each, the step's own first; none: nothing came of it
}

func (d Differences) Error() string {
	var text []string
	for _, one := range d {
		text = append(text, fmt.Sprintf("%s:%d: on %s\n%s\nexpected:\n%s\ngot:\n%s", one.Path, one.Line, one.Target, one.Step,
			indent(one.Want), indent(one.Got)))
	}
	return strings.Join(text, "\n")
}

// maxDifferences is how many of one script are told.
const maxDifferences = 10

// goesOn reports whether the script makes sense after the difference: the same requests were answered, with the same codes.
func (d Difference) goesOn() bool {
	return slices.EqualFunc(d.Want, d.Got, func(want, got string) bool { return outcome(want) == outcome(got) })
}

// outcome is an answer up to its error code, or the name of what stands there in its place.
func outcome(answer string) string {
	before, after, _ := strings.Cut(answer, "→ ")
	word, _, _ := strings.Cut(after, " ")
	name, _, _ := strings.Cut(word, "=")
	return before + name
}

func indent(lines []string) string {
	if len(lines) == 0 {
		lines = []string{nothing}
	}
	return "  " + strings.Join(lines, "\n  ")
}
