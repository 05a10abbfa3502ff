package interop_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/internal/vector"
)

// plan is member, topic, partitions.
type plan map[string]map[string][]int32

// A partition is one that has to go to somebody.
type partition struct {
	topic  string
	number int32
	racks  []string // with a replica
	before int      // its valid owner, by index; -1 if there was none
}

// A judge knows what a plan for an input has to do, and what it is worth.
type judge struct {
	members    []vector.Member // without the racks that they do not send
	index      map[string]int  // of members, by id
	partitions []partition
	rackAware  bool // whether racks count (G-565)
}

func newJudge(in *vector.Input) *judge {
	j := &judge{members: slices.Clone(in.Members), index: map[string]int{}}
	for m := range j.members {
		member := &j.members[m]
		j.index[member.ID] = m
		if member.Version != nil && *member.Version < 3 {
			member.Rack = ""
		}
	}
	for _, t := range in.Topics {
		if !slices.ContainsFunc(j.members, func(m vector.Member) bool { return slices.Contains(m.Subs, t.Name) }) {
			continue
		}
		for n := range int32(t.Parts) {
			q := partition{topic: t.Name, number: n, before: j.ownerBefore(t.Name, n)}
			if t.Racks != nil {
				for _, rack := range t.Racks[n] {
					if rack != nil && !slices.Contains(q.racks, *rack) {
						q.racks = append(q.racks, *rack)
					}
				}
			}
			j.partitions = append(j.partitions, q)
		}
	}
	j.rackAware = j.racksCount()
	return j
}

// racksCount is G-565: some member is in a rack with replicas, and not every partition is in all racks.
func (j *judge) racksCount() bool {
	all := map[string]bool{}
	for _, q := range j.partitions {
		for _, rack := range q.racks {
			all[rack] = true
		}
	}
	return slices.ContainsFunc(j.members, func(m vector.Member) bool { return all[m.Rack] }) &&
		slices.ContainsFunc(j.partitions, func(q partition) bool { return len(q.racks) < len(all) })
}

// claims tells whether a member says that it owns a partition.
func (j *judge) claims(m int, topic string, number int32) bool {
	return slices.Contains(j.members[m].Owned[topic], number)
}

// ownerBefore is who alone claims a partition in the highest generation in which anybody does, and still subscribes to it.
func (j *judge) ownerBefore(topic string, number int32) int {
	owner, since := -1, int32(-2)
	for m := range j.members {
		if !j.claims(m, topic, number) {
			continue
		}
		switch generation := j.members[m].Since(); {
		case generation > since:
			owner, since = m, generation
		case generation == since:
			owner = -1
		}
	}
	if owner >= 0 && !j.subscribes(owner, topic) {
		return -1
	}
	return owner
}

func (j *judge) subscribes(m int, topic string) bool {
	return slices.Contains(j.members[m].Subs, topic)
}

// owners is who gets each partition. A plan that is none is an error: all members are in it, and every partition goes to one
// that subscribes to it; lists ascend.
func (j *judge) owners(p plan) ([]int, error) {
	type key struct {
		topic  string
		number int32
	}
	given := map[key]int{}
	for id, topics := range p {
		m, known := j.index[id]
		if !known {
			return nil, fmt.Errorf("there is no member %q", id)
		}
		for topic, list := range topics {
			if !j.subscribes(m, topic) || len(list) == 0 || !slices.IsSorted(list) {
				return nil, fmt.Errorf("member %q gets %v of topic %q", id, list, topic)
			}
			for _, number := range list {
				if _, twice := given[key{topic, number}]; twice {
					return nil, fmt.Errorf("partition %d of topic %q is given twice", number, topic)
				}
				given[key{topic, number}] = m
			}
		}
	}
	owners := make([]int, len(j.partitions))
	for i, q := range j.partitions {
		m, ok := given[key{q.topic, q.number}]
		if !ok {
			return nil, fmt.Errorf("partition %d of topic %q is left out", q.number, q.topic)
		}
		owners[i] = m
	}
	if len(p) != len(j.members) || len(given) != len(owners) {
		return nil, fmt.Errorf("%d of %d members, and %d of %d partitions are in it", len(p), len(j.members), len(given), len(owners))
	}
	return owners, nil
}

// sent is what of a cooperative plan may be sent at once: not what another member claims, and its owner does not.
func (j *judge) sent(owners []int) plan {
	out := plan{}
	for _, m := range j.members {
		out[m.ID] = map[string][]int32{}
	}
	for i, q := range j.partitions {
		byOther := false
		for m := range j.members {
			byOther = byOther || m != owners[i] && j.claims(m, q.topic, q.number)
		}
		if mine := out[j.members[owners[i]].ID]; !byOther || j.claims(owners[i], q.topic, q.number) {
			mine[q.topic] = append(mine[q.topic], q.number)
		}
	}
	return out
}

// quality is what a sticky plan is worth; less is better.
type quality struct {
	Squares int // of the members' numbers of partitions, their sum
	Far     int // partitions without a replica in the rack of their member
	Moved   int // partitions whose valid owner before is another one
}

func (j *judge) quality(owners []int) quality {
	var is quality
	loads := make([]int, len(j.members))
	for q, m := range owners {
		is.Squares += 2*loads[m] + 1 // (n+1)² - n²
		loads[m]++
		is.Far += j.far(q, m)
		is.Moved += j.moved(q, m)
	}
	return is
}

func (j *judge) far(q, m int) int {
	if rack := j.members[m].Rack; rack != "" && !slices.Contains(j.partitions[q].racks, rack) {
		return 1
	}
	return 0
}

func (j *judge) moved(q, m int) int {
	if before := j.partitions[q].before; before >= 0 && before != m {
		return 1
	}
	return 0
}

// compare is the order of priorities: balance, then racks if these count, then moves.
func (j *judge) compare(a, b quality) int {
	if !j.rackAware {
		a.Far, b.Far = 0, 0
	}
	return cmp.Or(cmp.Compare(a.Squares, b.Squares), cmp.Compare(a.Far, b.Far), cmp.Compare(a.Moved, b.Moved))
}
