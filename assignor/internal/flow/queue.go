package flow

import "math"

const unknown = math.MaxInt64

// way is a way that a search has found to a node.
type way struct {
	distance int64
	hops     int32
	to       int32
}

func (w way) before(o way) bool {
	if w.distance != o.distance {
		return w.distance < o.distance
	}
	if w.hops != o.hops {
		return w.hops < o.hops
	}
	return w.to < o.to
}

// queue is a binary heap of ways, the shortest first.
type queue []way

func (q *queue) push(w way) {
	h := append(*q, w)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !w.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = w
	*q = h
}

func (q *queue) pop() way {
	h := *q
	top, w := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(w) {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = w
	return top
}
