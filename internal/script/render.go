package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// render turns answers into lines: that of own first, and the others in the order of their clients, since the order in
// which a coordinator answers several requests at once is nobody's business.
func (r *runner) render(own *call, answers []*call) []string {
	slices.SortStableFunc(answers, func(a, b *call) int { return cmp.Compare(a.client.name, b.client.name) })
	for _, a := range answers {
		r.bind(a)
	}
	var lines []string
	if own != nil && !slices.Contains(answers, own) {
		lines = append(lines, parkedLine)
	}
	for _, a := range answers {
		if a == own {
			lines = slices.Insert(lines, 0, r.answer(a))
		} else {
			lines = append(lines, a.String()+" "+r.answer(a))
		}
	}
	return lines
}

// parkedLine stands for an answer that has not come, and broken begins one that does not come any more.
const (
	parkedLine = "parked"
	broken     = "✗"
)

// String names a call by client and API.
func (c *call) String() string { return c.client.name + " " + kmsg.NameForKey(c.req.Key()) }

func (r *runner) answer(a *call) string {
	if a.err != nil {
		return broken + " " + a.err.Error()
	}
	transcript := r.names.transcript()
	normalise(a.resp, transcript, r.names.prefix)
	text := "→ " + transcript.Response(a.resp)
	if r.names.topicPrefix != "" { // it is in members' metadata too
		text = strings.ReplaceAll(text, r.names.topicPrefix, "")
	}
	return text
}

// bind gives the member id that a JoinGroup was answered with its name, and the producer id of an InitProducerID.
func (r *runner) bind(a *call) {
	if a.err != nil {
		return
	}
	switch resp := a.resp.(type) {
	case *kmsg.JoinGroupResponse:
		req, stem := a.req.(*kmsg.JoinGroupRequest), a.client.id
		if req.InstanceID != nil {
			stem = *req.InstanceID
		}
		if resp.MemberID != req.MemberID {
			r.names.bind(a.client.name, stem, resp.MemberID)
		}
	case *kmsg.InitProducerIDResponse:
		if resp.ErrorCode == 0 {
			r.names.bindProducer(a.client.name, resp.ProducerID)
		}
	}
}
