package differ

import "fmt"

// offsets draws a request about offsets.
func (g *generator) offsets(c *client) string {
	if g.chance(50) {
		who := c.claim()
		if g.chance(25) || c.id == "" && g.chance(60) {
			who = claim{gen: -1} // as a tool, or a consumer that assigns partitions to itself
		}
		if g.chance(10) {
			who.group = "h"
		}
		return g.commit(c, who)
	}
	return g.fetch(c)
}

func (g *generator) commit(c *client, who claim) string {
	version := g.versions(2, 10)
	if g.chance(1) {
		version = g.IntN(2) // which Kafka does not know any more
	}
	if version < 7 && (who.instance == "" || g.chance(10)) {
		who.instance = ""
	} else {
		version = max(version, 7)
	}
	var retention string
	if version >= 2 && version <= 4 && g.chance(10) {
		retention = "24h"
	}
	gen := ""
	if version >= 1 {
		gen = fmt.Sprint(who.gen)
	} else {
		who.member = ""
	}
	return line(c, "OffsetCommit", version, "group", who.group, "gen", gen, "member", who.member,
		"instance", who.instance, "retention", retention, "offsets", g.committed())
}

// committed draws the offsets of a commit.
func (g *generator) committed() string {
	var offsets []string
	for range 1 + g.IntN(2) {
		about := pick(g, "", "", "(epoch=3)", "(metadata=note)", `(metadata="")`, "(epoch=0 metadata=null)")
		where := pick(g, "orders/0", "orders/0", "orders/1", "payments/0", "orders/7", "nowhere/0")
		offset := g.IntN(100)
		if g.chance(3) {
			offset, about, where = -1, `(metadata="x"*5000)`, pick(g, "orders/0", "orders/-1")
		}
		offsets = append(offsets, fmt.Sprintf("%s@%d%s", where, offset, about))
	}
	if g.chance(2) {
		offsets = nil
	}
	return list(offsets...)
}

func (g *generator) fetch(c *client) string {
	version := g.versions(1, 10)
	if g.chance(1) {
		version = 0 // which Kafka does not know any more
	}
	var stable string
	if version >= 7 && g.chance(30) {
		stable = "true"
	}
	topics := func() string {
		if version >= 2 && g.chance(40) {
			return "all"
		}
		return pick(g, "[orders/0-3]", "[orders/0,1 payments/0]", "[orders/0 nowhere/0 orders/9]", "[]", "[orders/0,0,-1 orders/0]")
	}
	if version < 8 {
		var group string
		if g.chance(10) {
			group = pick(g, "h", `""`)
		}
		return line(c, "OffsetFetch", version, "group", group, "topics", topics(), "stable", stable)
	}
	var groups []string
	for _, group := range pick(g, []string{"g"}, []string{"g"}, []string{"g", "h"}, []string{"h", "none", "g"}, []string{"g", `""`, "g"}, nil) {
		about := "topics=" + topics()
		if version >= 9 && g.chance(20) {
			about += fmt.Sprintf(" member=%s epoch=%d", pick(g, append(g.ids(), "nobody")...), pick(g, c.gen, -1, 99))
		}
		groups = append(groups, group+"("+about+")")
	}
	return line(c, "OffsetFetch", version, "groups", list(groups...), "stable", stable)
}
