package assignor

import (
	"cmp"
	"fmt"
	"slices"
)

// addClaims decodes what the members say that they own.
func (p *Problem) addClaims(g *Group, index []int) {
	for m := range p.Members {
		if len(g.members[m].owned) > 0 {
			p.Members[m].Owned = p.claims(g, index, m)
		}
	}
}

// claims reads one member's claims. Those of topics that are not in the problem are dropped silently: nobody can be
// assigned those any more. Those of partitions that do not exist, and repetitions, are dropped and noted.
func (p *Problem) claims(g *Group, index []int, m int) []Claim {
	r := reader{rest: g.members[m].owned} // splitMetadata has walked it, so it is well-formed
	var claims []Claim
	var ghosts int
	var ghost Claim
	rank := -1
	for range r.int32() {
		name := r.string()
		count := int(r.int32())
		rank = g.rankAfter(rank, name)
		if rank < 0 || index[rank] == absent {
			r.take(4 * count)
			continue
		}
		topic := index[rank]
		claims = slices.Grow(claims, count)
		for range count {
			claim := Claim{int32(topic), r.int32()}
			if claim.Partition < 0 || int(claim.Partition) >= p.Topics[topic].Partitions {
				ghosts++
				ghost = claim
				continue
			}
			claims = append(claims, claim)
		}
	}
	if ghosts > 0 {
		p.notes.add(Note{Member: p.Members[m].ID, Topic: p.Topics[ghost.Topic].Name, Text: fmt.Sprintf(
			"it claims to own partitions that do not exist, such as %d (claims dropped: %d)", ghost.Partition, ghosts)})
	}
	return p.distinct(claims, m)
}

// distinct sorts the claims and drops those made twice.
func (p *Problem) distinct(claims []Claim, m int) []Claim {
	slices.SortFunc(claims, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	once := slices.Compact(claims)
	if len(once) < len(claims) {
		p.notes.add(Note{Member: p.Members[m].ID, Text: fmt.Sprintf(
			"it claims to own partitions more than once (claims dropped: %d)", len(claims)-len(once))})
	}
	return once
}

// rankAfter finds a topic's rank among the group's topics, -1 if it is not there. Members mostly list topics in order, so
// the one after the topic before is tried first.
func (g *Group) rankAfter(before int, name []byte) int {
	if next := before + 1; next < len(g.topics) && g.topics[next] == string(name) {
		return next
	}
	if rank, ok := g.rank[string(name)]; ok {
		return rank
	}
	return -1
}
