package assignor

import (
	"cmp"
	"fmt"
	"slices"
)

// addOwned decodes what the members say that they own.
func (p *Problem) addOwned() {
	for m := range p.Members {
		if section := p.group.members[m].owned; len(section) > 0 {
			p.Members[m].Owned = p.owned(section, m)
		}
	}
}

// owned reads one member's claims, and drops those made twice.
func (p *Problem) owned(section []byte, m int) []Claim {
	count := countClaims(section)
	if count == 0 {
		return nil
	}
	claims := make([]Claim, 0, count)
	sorted := true
	p.eachClaim(section, m, &p.notes, func(claim Claim) {
		sorted = sorted && (len(claims) == 0 || compareClaims(claims[len(claims)-1], claim) < 0)
		claims = append(claims, claim)
	})
	if sorted {
		return claims
	}
	slices.SortFunc(claims, compareClaims)
	once := slices.Compact(claims)
	p.notes.addDoubled(p.Members[m].ID, len(claims)-len(once))
	return once
}

func compareClaims(a, b Claim) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

func (n *notes) addDoubled(member string, dropped int) {
	if dropped > 0 {
		n.add(Note{Member: member, Text: fmt.Sprintf("it claims to own partitions more than once (claims dropped: %d)", dropped)})
	}
}

// countClaims counts the claims in the bytes of a list of topic partitions that the reader has walked.
func countClaims(section []byte) int {
	r := reader{rest: section}
	claims := 0
	for range r.int32() {
		r.skipString()
		count := int(r.int32())
		r.take(4 * count)
		claims += count
	}
	return claims
}

// eachClaim yields the claims in such bytes. Those of topics that are not in the problem are dropped silently: nobody can
// be assigned those any more. Those of partitions that do not exist are dropped and noted.
func (p *Problem) eachClaim(section []byte, m int, to *notes, yield func(Claim)) {
	r := reader{rest: section}
	dropped := 0
	var last Claim
	rank := -1
	for range r.int32() {
		name := r.string()
		numbers := reader{rest: r.take(4 * int(r.int32()))}
		rank = p.group.rankAfter(rank, name)
		if rank < 0 || p.index[rank] == absent {
			continue
		}
		topic := p.index[rank]
		for len(numbers.rest) > 0 {
			claim := Claim{int32(topic), numbers.int32()}
			if claim.Partition < 0 || int(claim.Partition) >= p.Topics[topic].Partitions {
				dropped++
				last = claim
				continue
			}
			yield(claim)
		}
	}
	if dropped > 0 {
		to.add(Note{Member: p.Members[m].ID, Topic: p.Topics[last.Topic].Name, Text: fmt.Sprintf(
			"it claims to own partitions that do not exist, such as %d (claims dropped: %d)", last.Partition, dropped)})
	}
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
