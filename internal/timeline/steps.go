package timeline

import (
	"fmt"
	"strings"
)

// steps numbers the events of a join, and says in words what each is.
var steps = map[Kind]struct {
	number int
	title  string
}{
	JoinGroup: {1, "%s asks to join: JoinGroup"},
	MemberID:  {2, "the coordinator gives %s a member id: MEMBER_ID_REQUIRED (KIP-394)"},
	Joined:    {3, "the coordinator answers JoinGroup: %s is in"},
	Planned:   {4, "%s, being the leader, assigns"},
	SyncGroup: {5, "%s sends SyncGroup"},
	Synced:    {6, "the coordinator answers SyncGroup"},
	Assigned:  {7, "%s owns"},
}

// step reports whether the event is a step of a join, and writes it if it belongs to the one that is shown in full.
func (t *text) step(m moment) bool {
	s, ok := steps[m.Kind]
	if !ok {
		if t.stepping != "" && (m.Kind == Left || m.Kind == Ended) {
			t.release()
		}
		return false
	}
	switch m.Kind {
	case Joined:
		t.of(m.Member).generation = m.Generation
	case Synced:
		t.of(m.Member).rejoins = ""
	}
	if t.stepped {
		return true
	}
	if t.stepping == "" {
		t.stepping = m.Member
		t.blank()
		t.b.WriteString(strings.Repeat(" ", margin))
		t.wrap(margin, margin, t.bold("how "+clean(m.Member)+" joins, in seven steps"))
	}
	last := t.last
	t.last = m.Event
	if m.Kind == JoinGroup && last.Kind == JoinGroup && m.MemberID == last.MemberID {
		return true // the same again, after a failure that is shown
	}
	again := m.Kind == JoinGroup && last.Kind == MemberID
	if !again {
		title := s.title
		if strings.Contains(title, "%s") {
			title = fmt.Sprintf(title, t.member(m.Member, clean(m.Member)))
		}
		t.b.WriteString(t.time(m))
		t.b.WriteString(t.bold(fmt.Sprint(s.number)) + "  ")
		t.wrap(margin+3, margin+3, title)
	}
	t.contents(m, again)
	if m.Kind == Joined && len(m.Members) == 0 {
		t.b.WriteString(strings.Repeat(" ", margin) + t.bold("4") + "  ")
		t.wrap(margin+3, margin+3, t.member(m.Leader, clean(m.Leader))+", being the leader, assigns; a follower waits")
	}
	if m.Kind == Assigned {
		t.release()
	}
	return true
}

// contents writes what is in a step. A JoinGroup that is sent again with the member id that was given is no step of its
// own.
func (t *text) contents(m moment, again bool) {
	say := func(format string, args ...any) {
		t.b.WriteString(strings.Repeat(" ", margin+3))
		t.wrap(margin+3, margin+5, fmt.Sprintf(format, args...))
	}
	switch m.Kind {
	case JoinGroup:
		if again {
			say("%s asks again, with it", t.member(m.Member, clean(m.Member)))
			return
		}
		id := "no member id yet"
		if m.MemberID != "" {
			id = "member id " + Clean(m.MemberID, maxMessage)
		}
		say("group %s, %s, session timeout %v", clean(m.Group), id, m.SessionTimeout)
		for _, p := range m.Protocols {
			say("protocol %s: %s", clean(p.Name), subscription(p.Topics))
		}
	case MemberID:
		say("%s", Clean(m.MemberID, maxMessage))
	case Joined:
		say("generation %d, protocol %s, leader %s", m.Generation, clean(m.Protocol), t.member(m.Leader, clean(m.Leader)))
		t.eachMember(m.Members, say, func(member Member) string { return subscription(member.Topics) })
	case Planned:
		t.eachMember(m.Members, say, func(member Member) string { return "is given " + member.Partitions.String() })
	case SyncGroup:
		if m.Assignments == 0 {
			say("generation %d, no assignments: they come from the leader", m.Generation)
			return
		}
		say("generation %d, %s, %s", m.Generation, number(m.Assignments, "assignment"), number(m.Bytes, "byte"))
	case Synced:
		say("%s: %s", number(m.Bytes, "byte"), m.Partitions)
	case Assigned:
		say("%s, until the next rebalance", m.Partitions)
	}
}

// eachMember says something of each member, of the first ones if there are many.
func (t *text) eachMember(members []Member, say func(string, ...any), what func(Member) string) {
	const shown = 8
	for i, member := range members {
		if i == shown {
			say("… and %d more members", len(members)-shown)
			return
		}
		say("%s %s", t.member(member.Name, clean(member.Name)), what(member))
	}
}

// subscription writes the topics of a member's metadata.
func subscription(topics []string) string {
	if len(topics) == 0 {
		return "subscribes to nothing"
	}
	names := make([]string, len(topics))
	for i, topic := range topics {
		names[i] = clean(topic)
	}
	return "subscribes to " + list(names)
}
