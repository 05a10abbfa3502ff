package assignor

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// addOwned decodes what the members say that they own.
func (p *Problem) addOwned() {
	for m := range p.Members {
		if from := &p.group.members[m]; from.claims > 0 {
			p.Members[m].Owned = p.owned(from, m)
		}
	}
}

// owned reads one member's claims, and drops those made twice.
func (p *Problem) owned(from *groupMember, m int) []Claim {
	claims := make([]Claim, 0, from.claims)
	sorted := true
	p.eachClaim(from.owned, m, &p.notes, func(claim Claim) {
		if n := len(claims); n > 0 && compareClaims(claims[n-1], claim) >= 0 {
			sorted = false
		}
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
	if a.Topic != b.Topic {
		return cmp.Compare(a.Topic, b.Topic)
	}
	return cmp.Compare(a.Partition, b.Partition)
}

func (n *notes) addDoubled(member string, dropped int) {
	if dropped > 0 {
		n.add(Note{Member: member, Text: fmt.Sprintf("it claims to own partitions more than once (claims dropped: %d)", dropped)})
	}
}

// eachClaim yields the claims in a list of topic partitions that a reader has walked and not failed over. Those of topics
// that are not in the problem are dropped silently: nobody can be assigned those any more. Those of partitions that do not
// exist are dropped and noted.
func (p *Problem) eachClaim(section []byte, m int, to *notes, yield func(Claim)) {
	if len(section) == 0 {
		return
	}
	dropped, last, rank := 0, Claim{}, -1
	for rest := section[4:]; len(rest) > 0; {
		name := rest[2 : 2+binary.BigEndian.Uint16(rest)]
		rest = rest[2+len(name):]
		numbers := rest[4 : 4+4*binary.BigEndian.Uint32(rest)]
		rest = rest[4+len(numbers):]
		rank = p.group.rankAfter(rank, name)
		if rank < 0 || p.index[rank] == absent {
			continue
		}
		topic := p.index[rank]
		for ; len(numbers) > 0; numbers = numbers[4:] {
			claim := Claim{int32(topic), int32(binary.BigEndian.Uint32(numbers))}
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
