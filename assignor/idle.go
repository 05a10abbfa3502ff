package assignor

// idle is a heap of members, the one with the least burden first. As burdens only grow, the place of a member is looked after
// when it comes to the top.
type idle struct {
	heap   []burdened // and behind its end, up to its capacity, those who are put aside
	burden func(m int32) int64
}

type burdened struct {
	burden int64
	member int32
}

func (b burdened) before(o burdened) bool {
	return b.burden < o.burden || b.burden == o.burden && b.member < o.member
}

func newIdle(members []int, burden func(m int32) int64) *idle {
	h := &idle{make([]burdened, len(members)), burden}
	for i, m := range members {
		h.heap[i] = burdened{burden(int32(m)), int32(m)}
	}
	for i := len(members)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	return h
}

// next puts the member with the least burden aside, and returns it.
func (h *idle) next() int32 {
	for {
		m := h.heap[0].member
		if burden := h.burden(m); burden != h.heap[0].burden {
			h.heap[0].burden = burden
			h.sink(0)
			continue
		}
		last := len(h.heap) - 1
		h.heap[0], h.heap[last] = h.heap[last], h.heap[0]
		h.heap = h.heap[:last]
		h.sink(0)
		return m
	}
}

// restore puts all who were put aside back.
func (h *idle) restore() {
	for len(h.heap) < cap(h.heap) {
		h.heap = h.heap[:len(h.heap)+1]
		for i := len(h.heap) - 1; i > 0 && h.heap[i].before(h.heap[(i-1)/2]); i = (i - 1) / 2 {
			h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
		}
	}
}

func (h *idle) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.heap); child++ {
			if h.heap[child].before(h.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.heap[i], h.heap[least] = h.heap[least], h.heap[i]
		i = least
	}
}
