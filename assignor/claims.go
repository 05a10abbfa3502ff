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
	claims := p.appendClaims(make([]Claim, 0, from.claims), from.owned, m, &p.notes)
	if ascending(claims) {
		return claims
	}
	slices.SortFunc(claims, compareClaims)
	once := slices.Compact(claims)
	p.notes.addDoubled(p.Members[m].ID, len(claims)-len(once))
	return once
}

// ascending reports whether claims are sorted and without doubles.
func ascending(claims []Claim) bool {
	for i := 1; i < len(claims); i++ {
		if compareClaims(claims[i-1], claims[i]) >= 0 {
			return false
		}
	}
	return true
}

func compareClaims(a, b Claim) int {
	if a.Topic != b.Topic {
		return cmp.Compare(a.Topic, b.Topic)
	}
	return cmp.Compare(a.Partition, b.Partition)
}

func (n *notes) addDoubled(member string, dropped int) {
	if dropped > 0 {
		n.add(Note{Member: member, Text: fmt.Sprintf("it claims partitions more than once (claims dropped: %d)", dropped)})
	}
}

// appendClaims appends the claims in a list of topic partitions that a reader has walked and not failed over; nil is an empty
// one. Those of topics that are not in the problem are dropped silently: nobody can be assigned those any more. Those of
// partitions that do not exist are dropped and noted.
func (p *Problem) appendClaims(dst []Claim, section []byte, m int, to *notes) []Claim {
	if len(section) == 0 {
		return dst
	}
	find := finder{problem: p, own: p.Classes[p.Members[m].Class].Topics, at: -1, step: 1}
	dropped, last := 0, Claim{}
	for rest := section[4:]; len(rest) > 0; {
		var topic int
		topic, rest = find.topic(rest)
		left := binary.BigEndian.Uint32(rest)
		rest = rest[4:]
		if topic == absent {
			rest = rest[4*left:]
			continue
		}
		count := uint32(p.Topics[topic].Partitions)
		for ; left > 0; left-- {
			partition := binary.BigEndian.Uint32(rest)
			rest = rest[4:]
			if partition >= count { // a negative one too
				last = Claim{int32(topic), int32(partition)}
				dropped++
				continue
			}
			dst = append(dst, Claim{int32(topic), int32(partition)})
		}
	}
	if dropped > 0 {
		to.add(Note{Member: p.Members[m].ID, Topic: p.Topics[last.Topic].Name, Text: fmt.Sprintf(
			"it claims partitions that do not exist, such as %d (claims dropped: %d)", last.Partition, dropped)})
	}
	return dst
}

// finder finds the topics that a member names. To compare is quicker than to look a name up, and most members name topics that
// they subscribe to in order, after a plan that was dealt out often with the same number of others in between.
type finder struct {
	problem *Problem
	own     []int // the topics that the member subscribes to; nil once it has named some out of order
	at      int   // where the one named last is in own; -1 if none yet
	step    int   // how far before it the one before it was
}

// topic reads the name of a topic and finds it; absent if it is not in the problem.
func (f *finder) topic(src []byte) (topic int, rest []byte) {
	size := int(binary.BigEndian.Uint16(src))
	for _, step := range [2]int{f.step, 1} {
		if at := f.at + step; at < len(f.own) {
			topic := f.own[at]
			if name := f.problem.Topics[topic].Name; size == len(name) && string(src[2:2+len(name)]) == name {
				f.at, f.step = at, step
				return topic, src[2+len(name):]
			}
		}
	}
	return f.lookUp(src[2 : 2+size]), src[2+size:]
}

func (f *finder) lookUp(name []byte) int {
	rank, ok := f.problem.group.rank[string(name)]
	if !ok || f.problem.index[rank] == absent {
		return absent
	}
	topic := f.problem.index[rank]
	if f.at >= 0 && f.at < len(f.own) && topic < f.own[f.at] {
		f.own = nil
	}
	if ahead, ok := slices.BinarySearch(f.own[min(f.at+1, len(f.own)):], topic); ok {
		f.step = ahead + 1
		f.at += f.step
	}
	return topic
}
