package preview

import (
	"math"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// owners are the valid owners of before: who alone claims a partition in the highest generation in which anybody does, and
// subscribes to its topic still (KIP-341).
type owners struct {
	base []int // of each topic in list
	list []owner
}

type owner struct {
	member     int // unowned, or contested
	generation int32
}

const (
	unowned   = -1
	contested = -2 // by members of one generation
)

// of is a member's index; negative if the partition had no valid owner.
func (o *owners) of(topic, partition int) int { return o.list[o.base[topic]+partition].member }

// newOwners reads what the input's members claim, whatever the assignor gets to see of it.
func newOwners(in *vector.Input, p *assignor.Problem) *owners {
	o := &owners{base: make([]int, len(p.Topics)), list: make([]owner, p.Partitions())}
	topics := make(map[string]int, len(p.Topics))
	total := 0
	for t, topic := range p.Topics {
		topics[topic.Name], o.base[t] = t, total
		total += topic.Partitions
	}
	for i := range o.list {
		o.list[i] = owner{unowned, math.MinInt32}
	}
	members := make(map[string]int, len(p.Members))
	for m := range p.Members {
		members[p.Members[m].ID] = m
	}
	for i := range in.Members {
		from := &in.Members[i]
		for name, partitions := range from.Owned {
			t, ok := topics[name]
			if !ok {
				continue
			}
			for _, q := range partitions {
				if q >= 0 && int(q) < p.Topics[t].Partitions {
					o.list[o.base[t]+int(q)].claim(members[from.ID], from.Since())
				}
			}
		}
	}
	o.dropUnsubscribed(p)
	return o
}

func (o *owner) claim(member int, generation int32) {
	switch {
	case generation > o.generation:
		*o = owner{member, generation}
	case generation == o.generation && member != o.member:
		o.member = contested
	}
}

func (o *owners) dropUnsubscribed(p *assignor.Problem) {
	for t, topic := range p.Topics {
		for q := range topic.Partitions {
			at := &o.list[o.base[t]+q]
			if at.member >= 0 && !p.Subscribes(at.member, t) {
				at.member = unowned
			}
		}
	}
}
