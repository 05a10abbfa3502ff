package differ

import (
	"slices"
	"strconv"
	"strings"
)

// A model is what the clients of a schedule know of their group, from what they were answered: enough to draw requests that
// somebody might plausibly send next. It is no second coordinator, and may be wrong.
type model struct {
	clients   []*client
	producers []*producer
	strangers []string // members of the other group
	leader    leader
}

// A client is what one client knows of itself.
type client struct {
	name     string
	instance string // of static members; several clients may share one
	id       string // "$A"; empty while it is not known
	former   []string
	pending  bool // the id has not joined yet
	gen      int
	leads    bool
	roster   []string // of a leader: the members that it must assign to
	protocol string   // the one that was chosen
	stale    bool     // it was told to join again
	synced   bool
	parked   map[string]message // requests without an answer, by API
	online   bool               // it has sent something since it last disconnected
	topics   string             // its last subscription
}

func newModel() *model { return &model{leader: newLeader()} }

// client returns the client of a name, which is new if nobody has spoken of it.
func (m *model) client(name string) *client {
	i := slices.IndexFunc(m.clients, func(c *client) bool { return c.name == name })
	if i < 0 {
		i = len(m.clients)
		m.clients = append(m.clients, &client{name: name, parked: map[string]message{}})
	}
	return m.clients[i]
}

// observe learns from a step and its answers. It reports whether they show a choice that the coordinator made freely.
func (m *model) observe(s step) (free bool) {
	sent := map[string]message{} // by client and API
	for _, line := range s.lines {
		if name, ok := strings.CutPrefix(line, "disconnect "); ok {
			c := m.client(name)
			c.online, c.parked = false, map[string]message{}
			m.leader.hungUp(c)
		}
		if req := readRequest(line); req.client != "" {
			if m.producer(req.client) == nil {
				m.client(req.client).online = true
			}
			sent[req.client+" "+req.api] = req
		}
	}
	first := readRequest(s.lines[0])
	for _, line := range s.answers {
		answer := readAnswer(line, first)
		if p := m.producer(answer.client); p != nil {
			p.observe(first, answer)
			continue
		}
		c := m.client(answer.client)
		req, own := sent[answer.client+" "+answer.api]
		if waiting, ok := c.parked[answer.api]; ok && (!own || len(s.lines) == 1 && !strings.HasPrefix(line, "→")) {
			req = waiting
			delete(c.parked, answer.api)
		}
		if answer.code == "parked" {
			c.parked[answer.api] = req
		}
		if _, foreign := req.fields["group"]; foreign { // not the group that the model is of
			if answer.api == "JoinGroup" && answer.code == "NONE" {
				m.strangers = append(m.strangers, answer.fields["member"])
			}
			continue
		}
		free = m.learn(c, req, answer) || free
	}
	return free
}

// learn takes over one answer.
func (m *model) learn(c *client, req, answer message) (free bool) {
	switch answer.api {
	case "JoinGroup":
		return m.joined(c, req, answer)
	case "LeaveGroup":
		m.left(req, answer)
		return false
	}
	if req.fields["member"] != c.id || c.id == "" {
		return false
	}
	switch answer.code {
	case "NONE":
		if answer.api == "SyncGroup" {
			c.synced = true
		}
	case "REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION":
		c.stale = true
	case "UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID":
		c.forget()
	}
	return false
}

func (m *model) joined(c *client, req, answer message) (free bool) {
	switch answer.code {
	case "parked":
		m.leader.accepted(c, req)
	case "NONE":
		c.take(answer.fields["member"])
		c.pending, c.synced, c.stale = false, false, false
		c.gen, _ = strconv.Atoi(answer.fields["gen"])
		c.protocol = answer.fields["protocol"]
		c.leads = answer.fields["leader"] == c.id
		c.roster = nil
		for _, e := range entries(answer.fields["members"]) {
			c.roster = append(c.roster, head(e))
		}
		return m.leader.answered(c, req, answer)
	case "MEMBER_ID_REQUIRED":
		c.take(answer.fields["member"])
		c.pending = true
	case "UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID":
		if req.fields["member"] == c.id {
			c.forget()
		}
	}
	return false
}

func (m *model) left(req, answer message) {
	if answer.code != "NONE" {
		return
	}
	gone := []string{req.fields["member"]}
	if list, ok := answer.fields["members"]; ok {
		gone = nil
		for _, e := range entries(list) {
			if strings.HasSuffix(e, ":NONE") {
				gone = append(gone, e)
			}
		}
	}
	m.leader.left(gone)
	for _, c := range m.clients {
		if slices.ContainsFunc(gone, func(e string) bool { return head(e) == c.id }) {
			c.forget()
		}
	}
}

// take gives the client a member id.
func (c *client) take(id string) {
	if id != c.id && c.id != "" {
		c.former = append(c.former, c.id)
	}
	c.id = id
}

// forget is what a client does that is no member any more.
func (c *client) forget() {
	if c.id != "" {
		c.former = append(c.former, c.id)
	}
	c.id, c.pending, c.stale, c.synced, c.leads = "", false, false, false, false
}

// ids returns the member ids that anybody has or had.
func (m *model) ids() (all []string) {
	for _, c := range m.clients {
		if c.id != "" {
			all = append(all, c.id)
		}
		all = append(all, c.former...)
	}
	return append(all, m.strangers...)
}

// preparing reports whether somebody waits for the others to join.
func (m *model) preparing() bool {
	return slices.ContainsFunc(m.clients, func(c *client) bool {
		_, joining := c.parked["JoinGroup"]
		return joining
	})
}
