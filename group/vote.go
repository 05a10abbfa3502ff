package group

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// vote selects the protocol of a generation: every member votes for the first in its list that all members support,
// and most votes win (G-090, G-091).
func (g *Group) vote() string {
	type candidate struct {
		name  string
		votes int
	}
	var candidates []candidate // in the order of their first vote
	for m := range g.members.all {
		name := g.firstCommon(m)
		i := slices.IndexFunc(candidates, func(c candidate) bool { return c.name == name })
		if i < 0 {
			i = len(candidates)
			candidates = append(candidates, candidate{name: name})
		}
		candidates[i].votes++
	}
	buckets := bucketCount(len(candidates))
	return slices.MaxFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.votes, b.votes), cmp.Compare(bucket(b.name, buckets), bucket(a.name, buckets)))
	}).name
}

// firstCommon returns the first protocol of a member that every member supports. There is one: a joiner without is
// refused (G-045).
func (g *Group) firstCommon(m *member) string {
	for i := range m.protocols {
		if g.supported[m.protocols[i].Name] == g.members.len() {
			return m.protocols[i].Name
		}
	}
	return ""
}

// Kafka takes the first of tied protocols in the iteration order of a Java HashMap (G-092): by bucket, and within a
// bucket in the order of insertion, which slices.MaxFunc keeps by returning the first of equals.

// bucketCount is the size of a HashMap's table with n entries: a power of two that is less than three quarters full.
func bucketCount(n int) uint32 {
	size := uint32(16)
	for uint64(n)*4 > uint64(size)*3 {
		size *= 2
	}
	return size
}

func bucket(name string, buckets uint32) uint32 {
	var h uint32
	for _, unit := range utf16.Encode([]rune(name)) {
		h = 31*h + uint32(unit)
	}
	return (h ^ h>>16) & (buckets - 1)
}
