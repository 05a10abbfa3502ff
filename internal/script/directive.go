package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// directives are the steps other than requests.
var directives = map[string]func(r *runner, rest string, want []string) ([]string, error){
	"settings":   func(*runner, string, []string) ([]string, error) { return nil, nil }, // read by head
	"skip":       func(*runner, string, []string) ([]string, error) { return nil, nil }, // read by head
	"alone":      func(*runner, string, []string) ([]string, error) { return nil, nil }, // read by head
	"topics":     (*runner).topics,
	"drop":       (*runner).dropTopics,
	"defaults":   (*runner).setDefaults,
	"client":     (*runner).newClient,
	"disconnect": (*runner).disconnect,
	"advance":    (*runner).advance,
	"parked":     (*runner).listParked,
}

func directiveNames() string {
	return strings.Join(slices.Sorted(maps.Keys(directives)), ", ")
}

// A head is what a script says about the target before anything else.
type head struct {
	settings map[string]string
	skip     map[string]string // the reason by target
	alone    string            // the reason why nothing else may run on a broker meanwhile; empty if it may
}

// head reads the settings, skip and alone lines, which come before all other steps.
func (f *file) head() (head, error) {
	h := head{settings: map[string]string{}, skip: map[string]string{}}
	var errs []error
	begun := false
	for _, s := range f.steps() {
		word, rest, _ := strings.Cut(s.text, " ")
		var err error
		switch {
		case word != "settings" && word != "skip" && word != "alone":
			begun = true
		case begun:
			err = fmt.Errorf("%s must stand before all other steps", word)
		case word == "settings":
			err = h.addSettings(rest)
		case word == "alone":
			if h.alone = rest; rest == "" {
				err = errors.New("alone lacks a reason; write alone what others would disturb")
			}
		default:
			err = h.addSkip(rest)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", f.path, s.line, err))
		}
	}
	return h, errors.Join(errs...)
}

func (h head) addSettings(rest string) error {
	for _, word := range strings.Fields(rest) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("%q is no setting; write group.max.size=2", word)
		}
		h.settings[key] = value
	}
	return nil
}

// addSkip reads "3.9.2 core: reason".
func (h head) addSkip(rest string) error {
	targets, reason, ok := strings.Cut(rest, ":")
	if reason = strings.TrimSpace(reason); !ok || reason == "" {
		return fmt.Errorf("%q lacks a reason; write skip 3.9.2: reason", rest)
	}
	for _, name := range strings.Fields(targets) {
		if !slices.Contains(targetNames, name) {
			return fmt.Errorf("there is no target %q; targets are %s", name, strings.Join(targetNames, ", "))
		}
		h.skip[name] = reason
	}
	return nil
}

// topics makes topics: "topics orders:4 payments:1".
func (r *runner) topics(rest string, _ []string) ([]string, error) {
	partitions := map[string]int32{}
	for _, word := range strings.Fields(rest) {
		name, count, ok := strings.Cut(word, ":")
		n, err := strconv.ParseInt(count, 10, 32)
		if !ok || err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no topic; write orders:4 for four partitions", word)
		}
		partitions[name] = int32(n)
	}
	ids, err := r.target.CreateTopics(r.ctx, partitions)
	if err != nil {
		return nil, fmt.Errorf("create topics: %w", err)
	}
	maps.Copy(r.names.topics, ids)
	return nil, nil
}

// setDefaults gives fields that requests need not repeat: "defaults group=g session=10s". It replaces the defaults before.
func (r *runner) setDefaults(rest string, _ []string) (_ []string, err error) {
	r.defaults, err = parseDefaults(rest)
	return nil, err
}

// newClient opens a client whose client id is not its name: `client A id=""`.
func (r *runner) newClient(rest string, _ []string) ([]string, error) {
	name, args, _ := strings.Cut(rest, " ")
	if r.clients[name] != nil {
		return nil, fmt.Errorf("client %s is there already", name)
	}
	words, err := split(args)
	if err != nil {
		return nil, err
	}
	id := name
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		if err := setAll("a client", []argument{{key, value}}, []field{{name: "id", set: text(&id)}}); err != nil {
			return nil, err
		}
	}
	_, err = r.open(name, id)
	return nil, err
}

// disconnect ends a client's session. Nothing that it has under way is answered any more; the next request opens a new one.
func (r *runner) disconnect(name string, want []string) ([]string, error) {
	if err := r.hangUp(name); err != nil {
		return nil, err
	}
	return r.render(nil, r.settle(nil, want)), nil
}

func (r *runner) hangUp(name string) error {
	c := r.clients[name]
	if c == nil {
		return fmt.Errorf("there is no client %s to disconnect", name)
	}
	delete(r.clients, name)
	r.parked = slices.DeleteFunc(r.parked, func(p *call) bool { return p.client == c })
	if err := c.session.Close(); err != nil {
		return fmt.Errorf("disconnect %s: %w", name, err)
	}
	return nil
}

// maxRealAdvance bounds how long a script may wait on a coordinator that lives in real time.
const maxRealAdvance = 10 * time.Second

// advance lets time pass: "advance 300ms".
func (r *runner) advance(rest string, want []string) ([]string, error) {
	d, err := duration(rest)
	if err != nil {
		return nil, err
	}
	if d > maxRealAdvance && r.idle == nil {
		return nil, fmt.Errorf("%v is more real time than the %v that a test may take; skip this target", d, maxRealAdvance)
	}
	deadline := time.Now().Add(d)
	got := r.collect(nil, func([]*call) time.Duration { return max(0, time.Until(deadline)) })
	if missing := len(want) - len(got); r.idle != nil || missing > 0 || r.rewrite {
		got = append(got, r.settle(nil, want[min(len(got), len(want)):])...)
	}
	return r.render(nil, got), nil
}

// listParked lists the requests that have no answer, with nothing expected to come.
func (r *runner) listParked(string, []string) ([]string, error) {
	if late := r.settle(nil, nil); len(late) > 0 {
		return r.render(nil, late), nil
	}
	return r.parkedCalls(), nil
}
