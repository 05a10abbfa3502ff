package interop_test

import "slices"

// Partitions may change hands in a ring, and a ring through the pool takes one from who is at its start, for who is at its end. A
// plan that no ring makes cheaper is the cheapest there is (Klein 1967): so it takes no search for the best plan to know it.

// first and second are what one costs of what comes before all else, and of what comes next, with 1 for the last.
const (
	first  = 1 << 40
	second = 1 << 20
)

// cost is what it costs to have a partition with a member, beside the balance.
func (j *judge) cost(q, m int) int {
	if !j.rackAware {
		return j.moved(q, m)
	}
	return second*j.far(q, m) + j.moved(q, m)
}

// improve makes the best plan of any.
func (j *judge) improve(owners []int, cost func(q, m int) int) []int {
	owners = slices.Clone(owners)
	for j.newRings(owners, cost).cancel(owners) {
	}
	return owners
}

// rings are the ways on which partitions can go from one member to another. The pool is behind the last member.
type rings struct {
	cost      [][]int // from, to
	partition [][]int // which of them is the cheapest to go
}

const noWay = 1 << 60

func (j *judge) newRings(owners []int, cost func(q, m int) int) *rings {
	pool := len(j.members)
	r := &rings{make([][]int, pool+1), make([][]int, pool+1)}
	loads := make([]int, pool)
	for _, m := range owners {
		loads[m]++
	}
	for from := range r.cost {
		r.cost[from], r.partition[from] = make([]int, pool+1), make([]int, pool+1)
		for to := range r.cost[from] {
			switch {
			case from == pool && to < pool && loads[to] > 0:
				r.cost[from][to] = -first * (2*loads[to] - 1)
			case from < pool && to == pool:
				r.cost[from][to] = first * (2*loads[from] + 1)
			default:
				r.cost[from][to] = noWay
			}
		}
	}
	for q, from := range owners {
		for to := range j.members {
			if to == from || !j.subscribes(to, j.partitions[q].topic) {
				continue
			}
			if c := cost(q, to) - cost(q, from); c < r.cost[from][to] {
				r.cost[from][to], r.partition[from][to] = c, q
			}
		}
	}
	return r
}

// cancel finds a ring that makes the plan cheaper, as Bellman and Ford do, and goes round it. It reports whether there is one.
func (r *rings) cancel(owners []int) bool {
	nodes := len(r.cost)
	distance, before := make([]int, nodes), make([]int, nodes)
	last := -1
	for range nodes {
		last = -1
		for from := range nodes {
			for to, c := range r.cost[from] {
				if c < noWay && distance[from]+c < distance[to] {
					distance[to], before[to], last = distance[from]+c, from, to
				}
			}
		}
		if last < 0 {
			return false
		}
	}
	for range nodes { // now it is on the ring
		last = before[last]
	}
	for to := last; ; to = before[to] {
		if from := before[to]; from < nodes-1 && to < nodes-1 {
			owners[r.partition[from][to]] = to
		}
		if before[to] == last {
			return true
		}
	}
}
