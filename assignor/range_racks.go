package assignor

import (
	"context"
	"slices"
)

// assignNearby is Range where at least one topic gains by rack-awareness: first every member is given partitions with a
// replica in its rack, then what is left over is divided as ever.
//
// Topics with the same subscribers and the same number of partitions are assigned in step, so that they stay divided alike
// (G-543), also those that would not gain by it; it is Java's way to do so from the moment that one topic of all gains.
func assignNearby(ctx context.Context, p *Problem, plan *Plan, racks *rackView) error {
	var share, copied shares
	for _, topics := range coPartitioned(p) {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := topics[0]
		share.divide(p.Topics[first].Partitions, len(p.Subscribers(first)))
		switch {
		case !racks.anyMember(first):
			// Nobody has a rack to match (G-547).
		case len(topics) > 1:
			matchInStep(p, plan, topics, racks, &share)
		case racks.gains[first]:
			matchOne(p, plan, first, racks, &share)
		}
		for _, t := range topics {
			copied.each, copied.extra = share.each, share.extra
			copied.taken = append(copied.taken[:0], share.taken...)
			assignRest(p, plan, t, &copied)
		}
	}
	return nil
}

// coPartitioned groups the topics by subscribers and number of partitions.
func coPartitioned(p *Problem) [][]int {
	type kind struct{ audience, partitions int }
	groups := [][]int{}
	index := map[kind]int{}
	for t := range p.Topics {
		k := kind{p.audience[t], p.Topics[t].Partitions}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// matchInStep gives partition 0 of all the topics to one member, then partition 1 and so on: each time to the first
// member that has something left and that has, for all of the topics, a replica in its rack. What no member matches is
// left over.
//
// As the topics are alike and in step, one count of shares serves them all, and as nobody's share grows, the members of
// a rack form a queue.
func matchInStep(p *Problem, plan *Plan, topics []int, racks *rackView, share *shares) {
	subscribers := p.Subscribers(topics[0])
	queues := map[int32][]int{} // by rack: positions in subscribers, those with something left
	for i, m := range subscribers {
		queues[racks.ofMember[m]] = append(queues[racks.ofMember[m]], i)
	}
	var common []int32
	for q := range p.Topics[topics[0]].Partitions {
		common = racks.common(common[:0], topics, q)
		first := len(subscribers)
		for _, rack := range append(common, noRack) { // a member without a rack is near to everything (G-546)
			queue := queues[rack]
			for len(queue) > 0 && share.left(queue[0]) == 0 {
				queue = queue[1:]
			}
			queues[rack] = queue
			if len(queue) > 0 {
				first = min(first, queue[0])
			}
		}
		if first == len(subscribers) {
			continue
		}
		for _, t := range topics {
			plan.Assign(subscribers[first], t, q)
		}
		share.take(first, 1)
	}
}

// matchOne gives each subscriber in order the first partitions that are near to it and that nobody has (G-544). What is
// behind one member of a rack is behind all others of that rack too, so each rack goes through the partitions once.
func matchOne(p *Problem, plan *Plan, topic int, racks *rackView, share *shares) {
	owner := plan.owner[p.base[topic]:p.base[topic+1]]
	next := map[int32]int{} // by rack
	for i, m := range p.Subscribers(topic) {
		rack := racks.ofMember[m]
		q, left := next[rack], share.left(i)
		taken := 0
		for ; q < len(owner) && taken < left; q++ {
			if owner[q] == nobody && (rack == noRack || slices.Contains(racks.of(topic, q), rack)) {
				plan.Assign(m, topic, q)
				taken++
			}
		}
		next[rack] = q
		share.take(i, taken)
	}
}
