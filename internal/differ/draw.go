package differ

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator draws the steps of one schedule. What it draws depends on its seed and on what the model has observed.
type generator struct {
	*rand.Rand
	*model
	left     int  // steps
	timed    bool // some sessions and rebalances are short, and time passes
	advances int  // left to be drawn, in a timed schedule
	window   int  // steps since the last advance
	pairs    int  // of requests at once, left to be drawn
	versions func(lowest, highest int) int
	begin    []string // steps that come before all others
}

// newGenerator returns the generator of a seed.
func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), model: newModel()}
	names := "ABCDEF"
	dynamic, static := 1+g.IntN(3), 0
	if g.chance(40) {
		dynamic, static = g.IntN(3), 1+g.IntN(3)
	}
	for i := range dynamic + static {
		c := g.client(names[i : i+1])
		if i >= dynamic {
			c.instance = pick(g, "x", "x", "y")
		}
	}
	if g.chance(5) {
		g.begin = []string{`client A id=""`}
	}
	for i := range g.IntN(8) / 6 * (1 + g.IntN(2)) { // most schedules have none
		p := &producer{client: &client{name: "PQ"[i : i+1]}, transaction: "tu"[i : i+1], modern: g.chance(50)}
		g.producers = append(g.producers, p)
	}
	g.pairs = maxPairs
	g.left = 20 + g.IntN(50)
	if g.timed = g.chance(30); g.timed {
		g.advances = 2 + g.IntN(maxAdvances-1)
	}
	switch mix := g.IntN(10); {
	case mix < 4: // as clients of today
		g.versions = func(_, highest int) int { return highest }
	case mix < 9:
		g.versions = func(lowest, highest int) int { return lowest + g.IntN(highest-lowest+1) }
	default: // as very old ones
		g.versions = func(lowest, highest int) int { return min(highest, lowest+g.IntN(2)) }
	}
	return g
}

const (
	// In a timed schedule; see doc.go for why nothing is due near a step.
	pass           = "advance 4s"
	maxAdvances    = 3
	maxWindow      = 5 // steps between two advances
	shortSession   = "5s"
	shortRebalance = "5600ms"

	// Each pair of requests at once doubles the orders in which they may have been handled.
	maxPairs = 4
)

// next draws a step, or none when the schedule is over.
func (g *generator) next() (lines []string, ok bool) {
	if len(g.begin) > 0 {
		lines, g.begin = g.begin[:1], g.begin[1:]
		return lines, true
	}
	switch {
	case g.timed && (g.left == 0 || g.window >= maxWindow || g.window > 0 && g.chance(20)) && g.advances > 0:
		g.advances--
		g.window = 0
		return []string{pass}, true
	case g.left == 0, g.timed && g.advances == 0: // the last of a timed one is an advance, which finds out how late it is
		return nil, false
	}
	g.left--
	g.window++
	if len(g.producers) > 0 && g.chance(25) {
		return []string{g.transact(pick(g, g.producers...))}, true
	}
	c := g.sender()
	switch {
	case g.chance(2) && c.online:
		return []string{"disconnect " + c.name}, true
	case g.chance(8) && len(g.clients) > 1 && g.pairs > 0:
		other := g.clients[g.IntN(len(g.clients))]
		if one, two := g.request(c), g.request(other); other != c && g.together(one, two) {
			g.pairs--
			return []string{one, two}, true
		}
	}
	return []string{g.request(c)}, true
}

// together reports whether two requests may be sent at once: whether all that Kafka may answer is what it may answer to one
// after the other. doc.go says where it is not.
func (g *generator) together(one, two string) bool {
	joins, leaves, syncs := 0, 0, 0
	for _, line := range []string{one, two} {
		switch readRequest(line).api {
		case "JoinGroup":
			joins++
		case "LeaveGroup":
			leaves++
		case "SyncGroup":
			syncs++
		}
	}
	others := len(g.leader.slots)
	return joins < 2 && leaves*syncs == 0 && (joins == 0 || others > 0 && !g.timed) && (leaves == 0 || others > 1)
}

// sender draws a client; most often one that has something to do.
func (g *generator) sender() *client {
	c := g.clients[g.IntN(len(g.clients))]
	for range 3 {
		idle := len(c.parked) > 0 || g.preparing() && c.id != "" && c.synced && !c.stale
		if !idle {
			break
		}
		if len(c.parked) == 0 && g.chance(60) {
			c.stale = true // as if a heartbeat had told it
			break
		}
		c = g.clients[g.IntN(len(g.clients))]
	}
	return c
}

// request draws a request of a client.
func (g *generator) request(c *client) string {
	switch n := g.IntN(100); {
	case n < 64:
		return g.plausible(c)
	case n < 76:
		return g.odd(c)
	case n < 88:
		return g.offsets(c)
	default:
		return g.admin(c)
	}
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// line writes a request; pairs of key and value, of which those without a value are left out.
func line(c *client, api string, version int, pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s v%d", c.name, api, version)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, " %s=%s", pairs[i], pairs[i+1])
		}
	}
	return b.String()
}

func list(entries ...string) string { return "[" + strings.Join(entries, " ") + "]" }
