package differ

import (
	"fmt"
	"slices"
	"strings"
)

// A leader follows who leads the group, as far as answers tell, to notice when the coordinator has chosen a new leader among
// several members: Kafka takes the first in a hash table by member id, which is random (G-012).
type leader struct {
	slots     []string          // who is a member, by what survives a new member id: see slot
	leads     string            // the slot of the leader; "?" if it is not known
	instances map[string]string // the instance id of static members by member id
	lost      int               // new members whose ids nobody will be told
}

func newLeader() leader { return leader{instances: map[string]string{}} }

// slot names a member so that a static one keeps its name when it gets a new member id, and a new one has a name before it
// has an id.
func (l *leader) slot(c *client, id, instance string) string {
	switch {
	case instance != "":
		return "instance " + instance
	case id != "":
		return id
	}
	return "new " + c.name
}

func (l *leader) slotOf(id string) string {
	if instance, ok := l.instances[id]; ok {
		return "instance " + instance
	}
	return id
}

// accepted notes that a join was taken: the first member leads.
func (l *leader) accepted(c *client, req message) {
	slot := l.slot(c, req.fields["member"], req.fields["instance"])
	if slices.Contains(l.slots, slot) {
		return
	}
	if len(l.slots) == 0 {
		l.leads = slot
	}
	l.slots = append(l.slots, slot)
}

// answered notes the answer to a join, and reports whether it tells of a new leader that another might have been as well.
func (l *leader) answered(c *client, req, answer message) (free bool) {
	l.accepted(c, req)
	id := answer.fields["member"]
	if instance := req.fields["instance"]; instance != "" {
		l.instances[id] = instance
	} else {
		l.rename("new "+c.name, id)
	}
	leads := l.slotOf(answer.fields["leader"])
	alone := len(entries(answer.fields["members"])) == 1
	unnamed := "new " + strings.Trim(leads, "$0123456789") // whose own answer is still to come
	free = leads != l.leads && l.leads != unnamed && !alone
	l.leads = leads
	if alone {
		l.slots = []string{leads}
	}
	return free
}

// hungUp notes that a client has gone away. The new member of a join that was not answered stays, and the client may come
// again as another one.
func (l *leader) hungUp(c *client) {
	l.lost++
	l.rename("new "+c.name, fmt.Sprint("lost ", l.lost))
}

// rename gives a new member its id.
func (l *leader) rename(from, to string) {
	if i := slices.Index(l.slots, from); i >= 0 {
		l.slots[i] = to
	}
	if l.leads == from {
		l.leads = to
	}
}

// left takes members away, given as entries of a LeaveGroup.
func (l *leader) left(gone []string) {
	for _, e := range gone {
		slot := l.slotOf(head(e))
		if _, instance, ok := strings.Cut(e, "instance="); ok {
			slot = "instance " + strings.TrimRight(strings.SplitN(instance, ")", 2)[0], " ")
		}
		l.slots = slices.DeleteFunc(l.slots, func(s string) bool { return s == slot })
	}
	if slices.Contains(l.slots, l.leads) {
		return
	}
	switch len(l.slots) {
	case 0:
		l.leads = ""
	case 1:
		l.leads = l.slots[0]
	default:
		l.leads = "?"
	}
}
