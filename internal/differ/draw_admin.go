package differ

// admin draws a request of somebody who looks after groups.
func (g *generator) admin(c *client) string {
	switch n := g.IntN(100); {
	case n < 55:
		groups := pick(g, "[g]", "[g]", "[g]", "[g]", "[h]", "[g h none]", `[g ""]`, "[g g]", "[]")
		return line(c, "DescribeGroups", g.versions(0, 6), "groups", groups)
	case n < 65:
		return g.list(c)
	case n < 80:
		return line(c, "DeleteGroups", g.versions(0, 3), "groups", pick(g, "[g]", "[g]", "[h]", "[g h]", "[none]", "[g g]", "[]", `[""]`))
	case n < 97:
		var group string
		if g.chance(10) {
			group = pick(g, "h", `""`)
		}
		topics := pick(g, "[orders/0-1]", "[payments/0 orders/0]", "[orders/0 nowhere/0]", "[orders/9]", "[]", "[orders/-1,0,0 orders/0]")
		return line(c, "OffsetDelete", 0, "group", group, "topics", topics)
	default:
		version, kind := g.versions(0, 6), ""
		if version >= 1 {
			kind = "0"
		}
		if version < 4 {
			return line(c, "FindCoordinator", version, "type", kind, "key", "g")
		}
		return line(c, "FindCoordinator", version, "type", kind, "keys", "[g h]")
	}
}

func (g *generator) list(c *client) string {
	version := g.versions(0, 5)
	var states, types string
	if version >= 4 && g.chance(60) {
		states = pick(g, "[Stable]", "[Empty]", "[PreparingRebalance CompletingRebalance]", "[Dead]", "[stable]", "[Nonsense]", `[" Stable "]`, `[""]`)
	}
	if version >= 5 && g.chance(40) {
		types = pick(g, "[classic]", "[consumer]", "[Classic]", "[nonsense]", `[" classic"]`)
	}
	return line(c, "ListGroups", version, "states", states, "types", types)
}
