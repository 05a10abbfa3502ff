package assignor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/protocol"
)

// Subscription is what a member sent, as far as the problem tells: in the latest version, with the topics and partitions
// that exist only. It is for balancers that were written for another client.
func (p *Problem) Subscription(member int) protocol.Subscription {
	m := &p.Members[member]
	s := protocol.NewSubscription()
	for _, t := range p.Classes[m.Class].Topics {
		s.Topics = append(s.Topics, p.Topics[t].Name)
	}
	for _, c := range m.Owned {
		name := p.Topics[c.Topic].Name
		if n := len(s.Owned); n == 0 || s.Owned[n-1].Topic != name {
			s.Owned = append(s.Owned, protocol.TopicPartitions{Topic: name})
		}
		last := &s.Owned[len(s.Owned)-1]
		last.Partitions = append(last.Partitions, c.Partition)
	}
	s.UserData, s.Generation, s.Rack = m.UserData, m.Generation, m.Rack
	return s
}

// AssignByName takes a plan over from a balancer that was written for another client: the partitions of each topic, for
// each member id. A member or topic that is not in the problem is the plan's fault, unless it is given nothing.
func (pl *Plan) AssignByName(members map[string]map[string][]int32) {
	p := pl.problem
	index := make(map[string]int, len(p.Members))
	for m := range p.Members {
		index[p.Members[m].ID] = m
	}
	for _, id := range slices.Sorted(maps.Keys(members)) { // the first fault is reported: let it be the same each time
		for _, name := range slices.Sorted(maps.Keys(members[id])) {
			m, known := index[id]
			t, exists := slices.BinarySearchFunc(p.Topics, name, func(t Topic, name string) int { return protocol.CompareJava(t.Name, name) })
			for _, partition := range members[id][name] {
				if !known || !exists {
					pl.fail("%w: partition %d of topic %q to member %q", ErrUnknown, partition, name, id)
				}
				pl.Assign(m, t, int(partition))
			}
		}
	}
}

// WithholdRest completes the plan of a cooperative balancer that was written for another client, and that leaves out what
// it withholds: a partition that nobody is given, while a member claims it, is withheld. Whom it is planned for such a
// balancer does not say: of the subscribers that do not claim it, the one with the least to do stands for it.
func (pl *Plan) WithholdRest() {
	p := pl.problem
	claimants, load := make(map[Claim][]int), make([]int, len(p.Members))
	for m := range p.Members {
		for _, c := range p.Members[m].Owned {
			if pl.Owner(int(c.Topic), int(c.Partition)) == nobody {
				claimants[c] = append(claimants[c], m)
			}
		}
	}
	for _, m := range pl.owner {
		if m != nobody {
			load[m]++
		}
	}
	for _, c := range slices.SortedFunc(maps.Keys(claimants), func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	}) {
		if heir := p.heir(int(c.Topic), claimants[c], load); heir != nobody {
			load[heir]++
			pl.Assign(heir, int(c.Topic), int(c.Partition))
			pl.withhold(p.base[c.Topic] + int(c.Partition))
		}
	}
}

// heir is the subscriber of a topic with the least load that does not claim the partition; or that does, where several claim it, as
// each has to give it up.
func (p *Problem) heir(topic int, claimants, load []int) int {
	heir := nobody
	for _, m := range p.Subscribers(topic) {
		if (len(claimants) > 1 || m != claimants[0]) && (heir == nobody || load[m] < load[heir]) {
			heir = m
		}
	}
	return heir
}
