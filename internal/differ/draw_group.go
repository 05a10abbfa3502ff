package differ

import (
	"fmt"
	"strings"
)

// A claim is who a request says that it is from. The plausible one is what the client knows; the odd ones change a part.
type claim struct {
	group, member, instance string // empty: left out
	gen                     int
}

func (c *client) claim() claim { return claim{member: c.id, instance: c.instance, gen: c.gen} }

// plausible draws what a client would do next.
func (g *generator) plausible(c *client) string {
	_, joining := c.parked["JoinGroup"]
	_, syncing := c.parked["SyncGroup"]
	restarted := c.claim()
	restarted.member = ""
	switch {
	case joining && c.id == "":
		return g.admin(c)
	case c.pending && g.chance(10), c.instance != "" && g.chance(5):
		return g.join(c, restarted)
	case joining || syncing && g.chance(80):
		return g.heartbeat(c, c.claim())
	case c.id == "", c.pending, c.stale && g.chance(85):
		return g.join(c, c.claim())
	case !c.synced && g.chance(85):
		return g.sync(c, c.claim())
	}
	switch n := g.IntN(100); {
	case n < 40:
		return g.heartbeat(c, c.claim())
	case n < 55:
		return g.commit(c, c.claim())
	case n < 75:
		return g.join(c, c.claim())
	case n < 90:
		return g.sync(c, c.claim())
	default:
		return g.leave(c, c.claim())
	}
}

// odd draws a request whose sender is not quite who it says.
func (g *generator) odd(c *client) string {
	who := c.claim()
	for range 1 + g.IntN(2) {
		switch g.IntN(4) {
		case 0:
			who.member = pick(g, append(g.ids(), "nobody", "")...)
		case 1:
			who.gen = pick(g, who.gen-1, who.gen+1, -1, 0, 99)
		case 2:
			who.instance = pick(g, "x", "y", "z", "")
		case 3:
			who.group = pick(g, "h", `""`)
		}
	}
	_, joining := c.parked["JoinGroup"]
	switch g.IntN(6) {
	case 0:
		if who.group == "h" && len(g.strangers) == 0 { // only once, so that it is plain who leads there
			g.strangers = append(g.strangers, "nobody")
			return g.join(c, claim{group: "h", instance: who.instance})
		}
		if who.member != "" || who.group == `""` || who.group == "" && !joining && who.instance == c.instance {
			return g.join(c, who)
		}
		fallthrough
	case 1:
		return g.sync(c, who)
	case 2, 3:
		return g.heartbeat(c, who)
	case 4:
		return g.leave(c, who)
	default:
		if who.group == `""` {
			who.group = "h"
		}
		return g.commit(c, who)
	}
}

// subscriptions are what members subscribe to, most of them as consumers do.
var subscriptions = []string{"orders", "orders", "payments", "orders,payments", `orders(v=1 owned=orders/0)`, `"raw"`, `""`}

func (g *generator) join(c *client, who claim) string {
	version := g.versions(0, 9)
	if who.instance != "" {
		version = max(version, 5)
	}
	if c.topics == "" || g.chance(15) {
		c.topics = pick(g, subscriptions...)
	}
	protocols := list("range:" + c.topics)
	switch g.IntN(20) {
	case 0:
		protocols = list("range:"+c.topics, "roundrobin:"+c.topics)
	case 1:
		protocols = list("roundrobin:"+c.topics, "range:"+c.topics)
	case 2:
		protocols = list("sticky:"+c.topics, "range:"+pick(g, subscriptions...))
	case 3:
		protocols = pick(g, "[]", list("roundrobin:"+c.topics), list(`"":`+c.topics, "range:orders"))
	}
	var kind, session, rebalance, reason string
	if g.chance(2) {
		kind = pick(g, `""`, "connect")
	}
	if g.timed {
		version = max(version, 1) // in v0 both times are the same, and would be over at the same moment
		if g.chance(60) {
			session = shortSession
		}
		if g.chance(60) {
			rebalance = shortRebalance
		}
	}
	if g.chance(2) {
		session = pick(g, "50ms", "-1ms", "31m")
	}
	if version >= 8 && g.chance(10) {
		reason = pick(g, "because", `"x"*300`)
	}
	return line(c, "JoinGroup", version, "group", who.group, "member", who.member, "instance", who.instance,
		"session", session, "rebalance", rebalance, "type", kind, "protocols", protocols, "reason", reason)
}

func (g *generator) sync(c *client, who claim) string {
	version := g.versions(0, 5)
	if version < 3 {
		if who.instance != "" && g.chance(90) {
			version = 3 + g.IntN(3)
		} else {
			who.instance = ""
		}
	}
	var kind, protocol string
	if version >= 5 {
		protocol = c.protocol
		if g.chance(15) {
			protocol = pick(g, "", "null", "other", "range")
		}
		if g.chance(10) {
			kind = pick(g, "null", "connect")
		}
	}
	var assignments []string
	if c.leads || g.chance(5) {
		for i, id := range c.roster {
			if g.chance(95) {
				assignments = append(assignments, id+":"+pick(g, fmt.Sprintf("orders/%d", i%4), `"raw"`, `""`, "orders/0-3,payments/0"))
			}
		}
	}
	if g.chance(3) {
		assignments = append(assignments, "nobody:orders/0", pick(g, append(g.ids(), "")...)+":orders/2")
	}
	var assigned string
	if len(assignments) > 0 {
		assigned = list(assignments...)
	}
	return line(c, "SyncGroup", version, "group", who.group, "gen", fmt.Sprint(who.gen), "member", who.member,
		"instance", who.instance, "type", kind, "protocol", protocol, "assignments", assigned)
}

func (g *generator) heartbeat(c *client, who claim) string {
	version := g.versions(0, 4)
	if version < 3 && (who.instance == "" || g.chance(10)) {
		who.instance = ""
	} else {
		version = max(version, 3)
	}
	return line(c, "Heartbeat", version, "group", who.group, "gen", fmt.Sprint(who.gen), "member", who.member, "instance", who.instance)
}

func (g *generator) leave(c *client, who claim) string {
	version := g.versions(0, 5)
	if version < 3 && who.member != "" && g.chance(90) {
		return line(c, "LeaveGroup", version, "group", who.group, "member", who.member)
	}
	version = max(version, 3)
	leaving := []string{leaver(g, version, who)}
	for g.chance(20) {
		other := g.clients[g.IntN(len(g.clients))].claim()
		if g.chance(20) {
			other.member = pick(g, append(g.ids(), "nobody")...)
		}
		leaving = append(leaving, leaver(g, version, other))
	}
	if g.chance(2) {
		leaving = nil
	}
	return line(c, "LeaveGroup", version, "group", who.group, "members", list(leaving...))
}

// leaver writes one member that leaves.
func leaver(g *generator, version int, who claim) string {
	member := who.member
	if member == "" || who.instance != "" && g.chance(30) {
		member = `""` // by its instance id alone
	}
	var about []string
	if who.instance != "" && g.chance(90) {
		about = append(about, "instance="+who.instance)
	}
	if version >= 5 && g.chance(10) {
		about = append(about, "reason=because")
	}
	if len(about) == 0 {
		return member
	}
	return member + "(" + strings.Join(about, " ") + ")"
}
