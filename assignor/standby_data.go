package assignor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/protocol"
)

// standbyVersion is the version of the user data of Standby. That of an assignment is, with lists of topics and partitions as in
// ConsumerProtocolAssignment:
//
//	version    int16   0
//	followed   list    what the member is second of
//	coming     list    what it is to own once another member has given it up
//
// A member sends these back in its next subscription, with two more fields:
//
//	generation int32   of that assignment; -1 if there was none
//	owned      list    what it was to own
//
// In version 0 nothing may follow. Later versions may add fields in the end of either, which are passed over here.
const standbyVersion = 0

// Standbys reads the user data of an assignment by [Standby] ([Assignment].UserData): what the member is to follow, as second or
// because it is to own it once another member has given it up. It is sorted by topic, in Java's string order; each topic's
// numbers ascending. It is nil where there is nothing to follow.
func Standbys(userData []byte) ([]protocol.TopicPartitions, error) {
	if len(userData) == 0 {
		return nil, nil
	}
	r := reader{rest: userData}
	d := r.standbyAssignment()
	if !r.ended(d.version) {
		return nil, errors.New("this is not the user data of an assignment by standby: read it where the group goes by that only")
	}
	followed := make(map[string][]int32)
	for _, list := range [][]byte{d.followed, d.coming} {
		r := reader{rest: list}
		for range r.int32() {
			topic, numbers := string(r.string()), r.take(4*int(r.int32()))
			for ; len(numbers) > 0; numbers = numbers[4:] {
				followed[topic] = append(followed[topic], int32(binary.BigEndian.Uint32(numbers)))
			}
		}
	}
	var sorted []protocol.TopicPartitions
	for _, topic := range slices.SortedFunc(maps.Keys(followed), protocol.CompareJava) {
		slices.Sort(followed[topic])
		if least := followed[topic][0]; least < 0 {
			return nil, fmt.Errorf("partition %d of topic %q, which cannot be, is in user data of standby: mend its leader", least, topic)
		}
		sorted = append(sorted, protocol.TopicPartitions{Topic: topic, Partitions: slices.Compact(followed[topic])})
	}
	return sorted, nil
}

// standbyData is the user data of an assignment or, with owned, of a subscription.
type standbyData struct {
	version                 int16
	followed, coming, owned []byte // lists, as Problem.appendClaims reads them
}

func (r *reader) standbyAssignment() (d standbyData) {
	if d.version = r.int16(); d.version < 0 {
		r.fail()
	}
	d.followed, _ = r.topicPartitions()
	d.coming, _ = r.topicPartitions()
	return d
}

// ended reports whether all has been read.
func (r *reader) ended(version int16) bool {
	return !r.failed && (version > standbyVersion || len(r.rest) == 0)
}

// readStandbyData reads what all members tell, with the generation in which each was assigned it. What cannot be read is noted,
// and as if it were not there.
func readStandbyData(p *Problem, plan *Plan) (told []standbyData, generations []int32) {
	told, generations = make([]standbyData, len(p.Members)), make([]int32, len(p.Members))
	for m := range p.Members {
		member := &p.Members[m]
		generations[m] = member.Generation
		if len(member.UserData) == 0 {
			continue
		}
		r := reader{rest: member.UserData}
		d := r.standbyAssignment()
		generation := max(r.int32(), -1)
		if d.owned, _ = r.topicPartitions(); r.ended(d.version) {
			told[m], generations[m] = d, generation
		} else {
			plan.Note(Note{Member: member.ID,
				Text: "its user data cannot be read: it is taken to follow nothing, and to own what its subscription says"})
		}
	}
	return told, generations
}

// UserData is the user data of the subscription of a member that offers "standby": what it was last assigned, to own and to
// follow, and in which generation. A member that was assigned nothing yet sends none.
func (Standby) UserData(last Assignment) []byte {
	if len(last.Partitions)+len(last.UserData) == 0 {
		return nil
	}
	r := reader{rest: last.UserData}
	d := r.standbyAssignment()
	data := binary.BigEndian.AppendUint16(nil, standbyVersion)
	for _, list := range [][]byte{d.followed, d.coming} {
		if !r.ended(d.version) || list == nil {
			list = []byte{0, 0, 0, 0}
		}
		data = append(data, list...)
	}
	data = binary.BigEndian.AppendUint32(data, uint32(last.Generation))
	return appendTopicPartitions(data, last.Partitions)
}
