package differ

import "testing"

// A client that hangs up from a join and comes again is two members, between which the choice of a leader is free.
func TestWhoHungUpMayLeadToo(t *testing.T) {
	m := newModel()
	for _, s := range []step{
		{lines: []string{"A: JoinGroup v2 protocols=[range:raw]"}, answers: []string{"→ NONE gen=1 protocol=range leader=$A member=$A members=[$A:raw]"}},
		{lines: []string{"A: JoinGroup v1 protocols=[range:raw]"}, answers: []string{"parked"}},
		{lines: []string{"disconnect A"}},
		{lines: []string{"A: JoinGroup v0 protocols=[range:raw]"}, answers: []string{"parked"}},
	} {
		if m.observe(s) {
			t.Errorf("%v is taken for a free choice", s.lines)
		}
	}
	if !m.observe(step{
		lines:   []string{"A: LeaveGroup v4 members=[$A]"},
		answers: []string{"→ NONE members=[$A:NONE]", "A JoinGroup → NONE gen=2 protocol=range leader=$A2 member=$A2 members=[$A2:raw A-*:raw]"},
	}) {
		t.Error("the choice of a leader between two new members of one client is not taken for a free one")
	}
}
