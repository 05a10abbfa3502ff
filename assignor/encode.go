package assignor

import (
	"encoding/binary"
	"iter"
	"slices"
)

// assignmentVersion is the version of ConsumerProtocolAssignment that is written: Java's, whatever the members sent, as
// all versions have one layout (G-528, G-529).
const assignmentVersion = 3

// Append appends a member's assignment as the bytes of a ConsumerProtocolAssignment, for SyncGroup: topics and their
// partitions ascending, then the user data, null if there is none.
func (pl *Plan) Append(dst []byte, member int) []byte {
	dst = slices.Grow(dst, pl.Size(member))
	dst = binary.BigEndian.AppendUint16(dst, assignmentVersion)
	dst = pl.appendPartitions(dst, member)
	data := pl.UserData(member)
	if data == nil {
		return binary.BigEndian.AppendUint32(dst, 0xFFFFFFFF) // -1: null
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	return append(dst, data...)
}

// appendPartitions appends the array of topics with their partitions.
func (pl *Plan) appendPartitions(dst []byte, member int) []byte {
	p := pl.problem
	count := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, 0)
	topics := uint32(0)
	for topic, list := range pl.runs(member) {
		topics++
		name := p.Topics[topic].Name
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(name)))
		dst = append(dst, name...)
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(list)))
		base := uint32(p.base[topic])
		for _, q := range list {
			dst = binary.BigEndian.AppendUint32(dst, uint32(q)-base)
		}
	}
	binary.BigEndian.PutUint32(dst[count:], topics)
	return dst
}

// Size returns the length in bytes of what Append appends. A broker refuses assignments that together do not fit into
// one of its records (max.message.bytes).
func (pl *Plan) Size(member int) int {
	size := 2 + 4 + 4 + len(pl.UserData(member))
	for topic, list := range pl.runs(member) {
		size += 2 + len(pl.problem.Topics[topic].Name) + 4 + 4*len(list)
	}
	return size
}

// UserData returns what SetUserData has attached to a member's assignment; nil if nothing.
func (pl *Plan) UserData(member int) []byte {
	if pl.userData == nil {
		return nil
	}
	return pl.userData[member]
}

// runs yields the topics of which a member is assigned partitions, with those, as positions in owner. In a plan that was dealt
// out, as many topics are mostly in between as the time before.
func (pl *Plan) runs(member int) iter.Seq2[int, []int32] {
	return func(yield func(topic int, list []int32) bool) {
		base, rest := pl.problem.base, pl.assigned(member)
		own := pl.problem.Classes[pl.problem.Members[member].Class].Topics // in which all of rest is
		for at, step := -1, 1; len(rest) > 0; {
			first, next := int(rest[0]), at+1
			if guess := at + step; step > 1 && guess < len(own) && base[own[guess]] <= first {
				next = guess
			}
			for base[own[next]+1] <= first {
				next++
			}
			at, step = next, next-at
			n, end := 1, int32(base[own[at]+1])
			for n < len(rest) && rest[n] < end {
				n++
			}
			if !yield(own[at], rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// assigned lists a member's partitions, as positions in owner, ascending.
func (pl *Plan) assigned(member int) []int32 {
	if pl.list == nil {
		pl.index()
	}
	return pl.list[pl.start[member]:pl.start[member+1]]
}

// index sorts the partitions that are sent by owner: one pass counts, one places.
func (pl *Plan) index() {
	start := make([]int32, len(pl.problem.Members)+1)
	for i, m := range pl.owner {
		if m != nobody && !pl.isWithheld(i) {
			start[m+1]++
		}
	}
	for m := 1; m < len(start); m++ {
		start[m] += start[m-1]
	}
	next := slices.Clone(start)
	list := make([]int32, start[len(start)-1])
	for i, m := range pl.owner {
		if m != nobody && !pl.isWithheld(i) {
			list[next[m]] = int32(i)
			next[m]++
		}
	}
	pl.start, pl.list = start, list
}
