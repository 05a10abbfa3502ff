package differ

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A coverage counts which requests met which state of the group, and with what outcome.
type coverage struct {
	mu       sync.Mutex
	counts   map[meeting]int
	versions map[string]map[int]int // by API and version
}

type meeting struct{ api, state, outcome string }

func newCoverage() *coverage {
	return &coverage{counts: map[meeting]int{}, versions: map[string]map[int]int{}}
}

// add counts a step that found the group in a state. Answers to parked requests count where they came, as of another API.
func (c *coverage) add(state string, s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := map[string]bool{}
	for _, line := range s.lines {
		req := readRequest(line)
		if req.client == "" {
			c.counts[meeting{line, state, ""}]++
			continue
		}
		if _, foreign := req.fields["group"]; foreign {
			return
		}
		sent[req.client+" "+req.api] = true
		if c.versions[req.api] == nil {
			c.versions[req.api] = map[int]int{}
		}
		c.versions[req.api][req.version]++
	}
	first := readRequest(s.lines[0])
	for i, line := range s.answers {
		answer := readAnswer(line, first)
		api := answer.api
		if !sent[answer.client+" "+api] || i > 0 && len(s.lines) == 1 {
			api += ", parked before"
		}
		c.counts[meeting{api, state, outcome(line)}]++
	}
}

var code = regexp.MustCompile(`\b[A-Z]{3,}(_[A-Z]+)+\b`)

// outcome is the error codes in an answer.
func outcome(answer string) string {
	switch {
	case strings.HasSuffix(answer, "parked"):
		return "parked"
	case strings.Contains(answer, "✗"):
		return "no answer"
	}
	codes := code.FindAllString(answer, -1)
	slices.Sort(codes)
	if codes = slices.Compact(codes); len(codes) > 0 {
		return strings.Join(codes, "+")
	}
	return "NONE"
}

// String is a table: for each API and state how often which outcome was met.
func (c *coverage) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.SortedFunc(maps.Keys(c.counts), func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.api, b.api), cmp.Compare(a.state, b.state), c.counts[b]-c.counts[a], cmp.Compare(a.outcome, b.outcome))
	})
	var b strings.Builder
	var last meeting
	for _, m := range all {
		if m.api != last.api {
			fmt.Fprintf(&b, "\n%s%s", m.api, c.versionText(m.api))
			last = meeting{api: m.api}
		}
		if m.state != last.state {
			fmt.Fprintf(&b, "\n  %-20s", m.state)
			last = m
		}
		fmt.Fprintf(&b, " %d", c.counts[m])
		if m.outcome != "" {
			fmt.Fprintf(&b, "×%s", m.outcome)
		}
	}
	return b.String()
}

func (c *coverage) versionText(api string) string {
	var text []string
	for _, v := range slices.Sorted(maps.Keys(c.versions[api])) {
		text = append(text, fmt.Sprintf("v%d×%d", v, c.versions[api][v]))
	}
	if text == nil {
		return ""
	}
	return " (" + strings.Join(text, " ") + ")"
}
