package assignor_test

import "slices"

// best is the quality of the best plan that there is. Partition after partition finds its way to a member, by moving others
// where that is cheaper, and the way is the cheapest that Bellman and Ford's algorithm finds; the n-th partition of a member
// costs the n-th odd number.
func (in input) best() quality {
	const squares, first = 1 << 40, 1 << 20
	members, previous, byRack := in.inOrder(), in.previous(), in.rackAware()
	cost := func(q tp, m int) int {
		c := 0
		if byRack && members[m].Rack != "" && !in.racksOf(q)[members[m].Rack] {
			c += first
		}
		if before, ok := previous[q]; ok && before != members[m].ID {
			c++
		}
		return c
	}
	given := make([][]tp, len(members))
	for _, q := range in.due() {
		const none = 1 << 60
		type step struct {
			cost  int
			from  int // the member that the partition leaves; -1 if it is new
			moved tp
		}
		steps := make([]step, len(members))
		for m := range members {
			steps[m] = step{cost: none}
			if slices.Contains(members[m].Subs, q.Topic) {
				steps[m] = step{cost(q, m), -1, q}
			}
		}
		for changed := true; changed; {
			changed = false
			for from := range members {
				for _, moved := range given[from] {
					for to := range members {
						if to == from || steps[from].cost == none || !slices.Contains(members[to].Subs, moved.Topic) {
							continue
						}
						if c := steps[from].cost + cost(moved, to) - cost(moved, from); c < steps[to].cost {
							steps[to], changed = step{c, from, moved}, true
						}
					}
				}
			}
		}
		end := 0
		for m := range members {
			if steps[m].cost+(2*len(given[m])+1)*squares < steps[end].cost+(2*len(given[end])+1)*squares {
				end = m
			}
		}
		for m := end; ; {
			s := steps[m]
			given[m] = append(given[m], s.moved)
			if s.from < 0 {
				break
			}
			i := slices.Index(given[s.from], s.moved)
			given[s.from] = slices.Delete(given[s.from], i, i+1)
			m = s.from
		}
	}
	best := quality{previous: len(previous)}
	for m, list := range given {
		best.squares += len(list) * len(list)
		for _, q := range list {
			best.far += cost(q, m) / first
			best.moved += cost(q, m) % first
		}
	}
	return best
}

// due is the partitions to assign.
func (in input) due() (due []tp) {
	for _, topic := range in.Topics {
		if !slices.ContainsFunc(in.Members, func(m inputMember) bool { return slices.Contains(m.Subs, topic.Name) }) {
			continue
		}
		for q := range topic.Parts {
			due = append(due, tp{Topic: topic.Name, Partition: q})
		}
	}
	return due
}

// rackAware is G-565: G-541 over all topics together.
func (in input) rackAware() bool {
	all := map[string]bool{}
	for _, q := range in.due() {
		for rack := range in.racksOf(q) {
			all[rack] = true
		}
	}
	meets := slices.ContainsFunc(in.inOrder(), func(m inputMember) bool { return all[m.Rack] })
	differ := slices.ContainsFunc(in.due(), func(q tp) bool { return len(in.racksOf(q)) < len(all) })
	return meets && differ
}
