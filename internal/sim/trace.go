package sim

import (
	"fmt"
	"strings"

	"github.com/joinsync/joinsync/group"
)

func (s *simulation) trace(format string, args ...any) {
	if s.options.Trace != nil {
		fmt.Fprintf(s.options.Trace, "%8d  "+format+"\n", append([]any{s.time}, args...)...)
	}
}

// traceStep tells of an event, its answers, and the state after it.
func (s *simulation) traceStep(c *call, ev *group.Event) {
	if s.options.Trace == nil {
		return
	}
	h := &s.host
	var b strings.Builder
	b.WriteString(ev.Kind.String())
	if c != nil {
		fmt.Fprintf(&b, " %d of %s", ev.Token, c.request)
	}
	for i := range h.out.Replies {
		r := &h.out.Replies[i]
		fmt.Fprintf(&b, ", %d: %s", r.Token, r.Error)
		if r.Superseded {
			b.WriteString(" (superseded)")
		}
	}
	for _, t := range h.out.Transitions {
		fmt.Fprintf(&b, ", %s since %s", t.To, t.Reason)
	}
	if len(h.out.Records) > 0 {
		fmt.Fprintf(&b, ", %d records", len(h.out.Records))
	}
	d := h.group.Describe()
	s.trace("%s → %s in %d, %d members", &b, d.State, d.Generation, len(d.Members))
}

// String names a request.
func (r *request) String() string {
	if r.from == nil {
		return "an administrator"
	}
	return fmt.Sprintf("%s (%s %q in %d)", r.from.name, r.event.Kind, r.event.MemberID, r.event.Generation)
}

// String names a message.
func (m message) String() string {
	if m.answer != nil {
		return fmt.Sprintf("%s for %s", m.answer.Error, m.request)
	}
	return m.request.String()
}
