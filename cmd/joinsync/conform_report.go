package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/internal/script/conform"
)

// A conformReport tells what becomes of the scripts. One goroutine at a time uses it.
type conformReport struct {
	out    io.Writer
	flags  *conformFlags
	broker *conform.Broker
	total  int
	wrote  error // the first error of writing

	agree   int
	differ  []string            // names of scripts
	skipped map[string][]string // names of scripts by reason
	shown   map[string]string   // the place of the first difference of each kind; with --verbose of the last
	again   map[string][]string // names of scripts with further ones of a kind, by that place
}

func newConformReport(out io.Writer, flags *conformFlags, broker *conform.Broker, total int) *conformReport {
	return &conformReport{out: out, flags: flags, broker: broker, total: total,
		skipped: make(map[string][]string), shown: make(map[string]string), again: make(map[string][]string)}
}

func (r *conformReport) printf(format string, args ...any) {
	if r.wrote == nil {
		_, r.wrote = fmt.Fprintf(r.out, format, args...)
	}
}

func (r *conformReport) encode(line any) {
	if r.wrote == nil {
		encoder := json.NewEncoder(r.out)
		encoder.SetEscapeHTML(false)
		r.wrote = encoder.Encode(line)
	}
}

// begin tells what is about to happen.
func (r *conformReport) begin() {
	if r.flags.json {
		return
	}
	r.printf("joinsync conform: %s is held to Apache Kafka %s, by %s; what they make on it is called %s…\n",
		r.flags.bootstrap[0], r.broker.Like(), count(r.total, "script"), r.broker.Prefix())
	if untold := r.broker.Untold(); len(untold) > 0 {
		r.printf("assumed, since the broker does not tell:\n")
		for _, property := range slices.Sorted(maps.Keys(untold)) {
			r.printf("  %s=%s\n", property, untold[property])
		}
	}
}

// A conformLine is what --json prints of a script.
type conformLine struct {
	Event       string              `json:"event"`
	Script      string              `json:"script"`
	Title       string              `json:"title"`
	Rules       string              `json:"rules"`
	Outcome     string              `json:"outcome"`
	Seconds     float64             `json:"seconds"`
	Differences []conformDifference `json:"differences,omitempty"`
	Reason      string              `json:"reason,omitempty"`
}

type conformDifference struct {
	Line     int      `json:"line"`
	Step     string   `json:"step"`
	Expected []string `json:"expected"`
	Got      []string `json:"got"`
}

// script tells what has become of one.
func (r *conformReport) script(result conform.Result) {
	s := result.Script
	line := conformLine{
		Event: "script", Script: s.Name(), Title: s.Title(), Rules: s.Rules(), Outcome: "agrees", Seconds: result.Took.Seconds(),
	}
	switch {
	case result.Skipped != "":
		r.skipped[result.Skipped] = append(r.skipped[result.Skipped], s.Name())
		line.Outcome, line.Reason = "skipped", result.Skipped
	case result.Differences != nil:
		r.differ = append(r.differ, s.Name())
		line.Outcome = "differs"
		for _, d := range result.Differences {
			line.Differences = append(line.Differences, conformDifference{d.Line, d.Step, d.Want, d.Got})
		}
	case result.Err != nil:
		r.differ = append(r.differ, s.Name())
		line.Outcome, line.Reason = "differs", result.Err.Error()
	default:
		r.agree++
	}
	if r.flags.json {
		r.encode(line)
		return
	}
	if r.flags.verbose {
		r.printf("%-7s %s\n", line.Outcome, line.Script)
	}
	if result.Err != nil {
		r.printf("\n✗ %s [%s]\n  %s\n", line.Title, line.Rules, line.Reason)
	}
	r.differences(s, result.Differences)
}

// differences prints those of a script that are the first of their kind.
func (r *conformReport) differences(s *script.Script, all script.Differences) {
	titled := false
	for _, d := range all {
		kind := conform.Kind(d)
		if first, ok := r.shown[kind]; ok && !r.flags.verbose {
			if !strings.HasPrefix(first, d.Path+":") && !slices.Contains(r.again[first], s.Name()) {
				r.again[first] = append(r.again[first], s.Name())
			}
			continue
		}
		place := fmt.Sprintf("%s:%d", d.Path, d.Line)
		r.shown[kind] = place
		if !titled {
			r.printf("\n✗ %s [%s]\n", s.Title(), s.Rules())
			titled = true
		}
		r.printf("  %s  %s\n", place, d.Step)
		for _, text := range compare(d.Want, d.Got, r.flags.patience) {
			r.printf("    %s\n", text)
		}
		if reason := s.Alone(); reason != "" {
			r.printf("    (unless others use the broker: %s)\n", reason)
		}
	}
}

// compare lists the answers that are missing with a minus, those too many with a plus, and the rest with a space.
func compare(want, got []string, patience time.Duration) []string {
	var lines []string
	rest := slices.Clone(got)
	for _, text := range want {
		sign := "-"
		if i := slices.Index(rest, text); i >= 0 {
			sign, rest = " ", slices.Delete(rest, i, i+1)
		}
		lines = append(lines, sign+" "+text)
	}
	if len(want) == 0 {
		lines = append(lines, "- nothing")
	}
	for _, text := range rest {
		if text == "parked" {
			text = fmt.Sprintf("parked: no answer within %v", patience)
		}
		lines = append(lines, "+ "+text)
	}
	if len(got) == 0 {
		lines = append(lines, "+ nothing")
	}
	return lines
}

// end tells the sum of it.
func (r *conformReport) end(left []string, took time.Duration) {
	skipped := 0
	for _, names := range r.skipped {
		skipped += len(names)
	}
	notRun := r.total - r.agree - len(r.differ) - skipped
	if r.flags.json {
		r.encode(struct {
			Event   string   `json:"event"`
			Broker  string   `json:"broker"`
			Like    string   `json:"like"`
			Prefix  string   `json:"prefix"`
			Agree   int      `json:"agree"`
			Differ  int      `json:"differ"`
			Skipped int      `json:"skipped"`
			NotRun  int      `json:"not_run"`
			Seconds float64  `json:"seconds"`
			Left    []string `json:"left,omitempty"`
		}{"summary", r.flags.bootstrap[0], r.broker.Like(), r.broker.Prefix(), r.agree, len(r.differ), skipped, notRun, took.Seconds(), left})
		return
	}
	for _, place := range slices.Sorted(maps.Keys(r.again)) {
		r.printf("\nas at %s, in %s more:\n%s", place, count(len(r.again[place]), "script"), r.names(r.again[place]))
	}
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		r.printf("\n%s skipped: %s\n%s", count(len(r.skipped[reason]), "script"), reason, r.names(r.skipped[reason]))
	}
	for _, what := range left {
		r.printf("\nnot deleted on the broker: %s\n", what)
	}
	r.printf("\n%d agree, %d differ, %d skipped", r.agree, len(r.differ), skipped)
	if notRun > 0 {
		r.printf(", %d not run", notRun)
	}
	r.printf(", in %v\n", took.Round(100*time.Millisecond))
}

// someNames is how many are listed of scripts with which it is all the same.
const someNames = 10

// names lists scripts, some of them unless all are asked for.
func (r *conformReport) names(all []string) string {
	slices.Sort(all)
	shown := all
	if len(all) > someNames && !r.flags.verbose {
		shown = all[:someNames]
	}
	text := "  " + strings.Join(shown, "\n  ") + "\n"
	if more := len(all) - len(shown); more > 0 {
		text += fmt.Sprintf("  and %d more, which --verbose lists\n", more)
	}
	return text
}

// verdict is nil if the broker agrees wherever it was asked.
func (r *conformReport) verdict(ctx context.Context) error {
	switch {
	case r.wrote != nil:
		return r.wrote
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case len(r.differ) > 0:
		slices.Sort(r.differ)
		return fmt.Errorf("%s: joinsync conform --print --run '^%s$' shows the first one whole",
			count(len(r.differ), "script")+differs(len(r.differ)), r.differ[0])
	case r.agree == 0:
		return errors.New("no script could be run: give the broker the settings that they need")
	}
	return nil
}

func differs(n int) string {
	if n == 1 {
		return " differs"
	}
	return " differ"
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
