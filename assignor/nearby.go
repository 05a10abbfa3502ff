package assignor

import "slices"

// nearby says which partitions have replicas in the racks of which members, where sticky assignors go by that (G-565).
type nearby struct {
	ofMember []int32   // by member: the number of its rack; noRack if it has none
	set      []int32   // by partition, topic after topic: the index in sets of its racks
	sets     [][]int32 // ascending; only racks that members are in
}

// newNearby returns nil where racks make no difference: no member is in a rack of any replica, or all partitions have
// replicas in the same racks. Topics without known replicas are in no rack.
func newNearby(p *Problem) *nearby {
	numbers := map[string]int32{}
	number := func(rack string) int32 {
		if rack == "" {
			return noRack
		}
		n, ok := numbers[rack]
		if !ok {
			n = int32(len(numbers))
			numbers[rack] = n
		}
		return n
	}
	near := &nearby{ofMember: make([]int32, len(p.Members))}
	for m := range p.Members {
		near.ofMember[m] = number(p.Members[m].Rack)
	}
	ours := int32(len(numbers))
	if ours == 0 {
		return nil
	}
	ofBroker := make(map[int32]int32, len(p.Racks))
	for broker, rack := range p.Racks {
		ofBroker[broker] = number(rack)
	}
	if !near.read(p, ofBroker, ours) {
		return nil
	}
	return near
}

// read finds the racks of all partitions, and reports whether they make a difference. Racks below ours have members.
func (n *nearby) read(p *Problem, ofBroker map[int32]int32, ours int32) bool {
	type known struct{ set, racks int32 }
	byBrokers, bySet := map[string]known{}, map[string]int32{}
	all, fewest := map[int32]bool{}, int32(1<<31-1)
	n.set = make([]int32, 0, p.Partitions())
	var key []byte
	var racks []int32
	for t := range p.Topics {
		for q := range p.Topics[t].Partitions {
			var brokers []int32
			if p.Topics[t].Replicas != nil {
				brokers = p.Topics[t].Replicas[q]
			}
			key = appendInts(key[:0], brokers)
			k, ok := byBrokers[string(key)]
			if !ok {
				racks = racks[:0]
				for _, broker := range brokers {
					if rack, ok := ofBroker[broker]; ok && rack != noRack {
						racks = append(racks, rack)
						all[rack] = true
					}
				}
				slices.Sort(racks)
				racks = slices.Compact(racks)
				k.racks = int32(len(racks))
				k.set = n.number(bySet, racks, ours)
				byBrokers[string(key)] = k
			}
			n.set = append(n.set, k.set)
			fewest = min(fewest, k.racks)
		}
	}
	meet := false
	for rack := range all {
		meet = meet || rack < ours
	}
	return meet && int(fewest) < len(all)
}

// number gives a set of racks a number, by those of the racks that members are in.
func (n *nearby) number(known map[string]int32, racks []int32, ours int32) int32 {
	racks = slices.DeleteFunc(racks, func(rack int32) bool { return rack >= ours })
	key := appendInts(nil, racks)
	set, ok := known[string(key)]
	if !ok {
		set = int32(len(n.sets))
		known[string(key)] = set
		n.sets = append(n.sets, slices.Clone(racks))
	}
	return set
}

// far reports whether a member is in a rack that is not in a set.
func (n *nearby) far(member int32, set int32) bool {
	rack := n.ofMember[member]
	if rack == noRack {
		return false
	}
	_, ok := slices.BinarySearch(n.sets[set], rack)
	return !ok
}
