package assignor

import "slices"

// noRack is the number of the rack of a member that has none.
const noRack int32 = -1

// rackView is the racks of members and partitions by number.
type rackView struct {
	problem  *Problem
	ofMember []int32    // by member; noRack if it has none
	ofTopic  []rackSets // by topic; empty where no subscriber has a rack
	gains    []bool     // by topic: whether assigning by rack can make a difference (G-541)
}

// rackSets holds the racks of each of a topic's partitions: distinct, without order.
type rackSets struct {
	start []int32 // start[q] is where the racks of partition q begin; one entry more than partitions
	racks []int32
}

// newRackView numbers the racks. It returns nil if no member has one.
func newRackView(p *Problem) *rackView {
	numbers := map[string]int32{"": noRack}
	number := func(rack string) int32 {
		n, ok := numbers[rack]
		if !ok {
			n = int32(len(numbers) - 1)
			numbers[rack] = n
		}
		return n
	}
	v := &rackView{problem: p, ofMember: make([]int32, len(p.Members))}
	for m := range p.Members {
		v.ofMember[m] = number(p.Members[m].Rack)
	}
	if len(numbers) == 1 {
		return nil
	}
	ofBroker := make(map[int32]int32, len(p.Racks))
	for broker, rack := range p.Racks {
		if rack != "" {
			ofBroker[broker] = number(rack)
		}
	}
	v.ofTopic = make([]rackSets, len(p.Topics))
	v.gains = make([]bool, len(p.Topics))
	wanted := v.wanted()
	for t := range p.Topics {
		if near := wanted[p.audience[t]]; len(near) > 0 {
			v.ofTopic[t] = newRackSets(p.Topics[t], ofBroker)
			v.gains[t] = v.ofTopic[t].gain(near)
		}
	}
	return v
}

// wanted collects, for each list of subscribers, the racks that they are in.
func (v *rackView) wanted() []map[int32]bool {
	wanted := make([]map[int32]bool, len(v.problem.audiences))
	for a, members := range v.problem.audiences {
		wanted[a] = map[int32]bool{}
		for _, m := range members {
			if v.ofMember[m] != noRack {
				wanted[a][v.ofMember[m]] = true
			}
		}
	}
	return wanted
}

func newRackSets(t Topic, ofBroker map[int32]int32) rackSets {
	s := rackSets{start: make([]int32, 1, t.Partitions+1)}
	for q := range t.Partitions {
		if t.Replicas != nil {
			for _, broker := range t.Replicas[q] {
				if rack, ok := ofBroker[broker]; ok && !slices.Contains(s.racks[s.start[q]:], rack) {
					s.racks = append(s.racks, rack)
				}
			}
		}
		s.start = append(s.start, int32(len(s.racks)))
	}
	return s
}

// gain reports whether a topic gains by rack-awareness when its subscribers are in the racks near (G-541): some replica
// is in one of these, and not every partition is in all the racks that any is in.
func (s rackSets) gain(near map[int32]bool) bool {
	all := map[int32]bool{}
	matches := false
	for _, rack := range s.racks {
		all[rack] = true
		matches = matches || near[rack]
	}
	if !matches {
		return false
	}
	for q := 1; q < len(s.start); q++ {
		if int(s.start[q]-s.start[q-1]) < len(all) {
			return true
		}
	}
	return false
}

// needed reports whether any topic gains.
func (v *rackView) needed() bool { return slices.Contains(v.gains, true) }

// anyMember reports whether some subscriber of a topic has a rack.
func (v *rackView) anyMember(topic int) bool { return v.ofTopic[topic].start != nil }

// of lists the racks of a partition.
func (v *rackView) of(topic, partition int) []int32 {
	s := &v.ofTopic[topic]
	return s.racks[s.start[partition]:s.start[partition+1]]
}

// common appends the racks in which the partition of that number has a replica in each of the topics.
func (v *rackView) common(dst []int32, topics []int, partition int) []int32 {
	dst = append(dst, v.of(topics[0], partition)...)
	for _, t := range topics[1:] {
		of := v.of(t, partition)
		dst = slices.DeleteFunc(dst, func(rack int32) bool { return !slices.Contains(of, rack) })
	}
	return dst
}
