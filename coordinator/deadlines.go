package coordinator

import (
	"container/heap"
	"time"

	"github.com/joinsync/joinsync/group"
)

// deadlines is a heap of groups by deadline. A deadline that moved later, as with each heartbeat, stays where it is
// until it comes to the top: the group is then asked again.
type deadlines []*resident

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].deadline < d[j].deadline }
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].position, d[j].position = i, j
}

// Push implements heap.Interface.
func (d *deadlines) Push(x any) {
	r := x.(*resident)
	r.position = len(*d)
	*d = append(*d, r)
}

// Pop implements heap.Interface.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	r := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	r.position, r.deadline = -1, group.Never
	return r
}

// watch makes sure that the group is ticked at its deadline.
func (p *partition) watch(r *resident) {
	deadline := r.group.NextDeadline()
	switch {
	case deadline == group.Never || r.position >= 0 && deadline >= r.deadline:
		return
	case r.position < 0:
		r.deadline = deadline
		heap.Push(&p.deadlines, r)
	default:
		r.deadline = deadline
		heap.Fix(&p.deadlines, r.position)
	}
	p.schedule()
}

// schedule sets the timer to the first deadline.
func (p *partition) schedule() {
	at := group.Never
	if len(p.deadlines) > 0 {
		at = p.deadlines[0].deadline
	}
	switch {
	case at == p.timerAt:
		return
	case at == group.Never:
		p.timer.Stop()
	default:
		wait := p.clock.until(at)
		if p.timer == nil {
			p.timer = time.AfterFunc(wait, func() { p.do(&p.tick) })
		} else {
			p.timer.Reset(wait)
		}
	}
	p.timerAt = at
}

// tickTask ticks every group whose deadline has come. A group that waits for the store is looked at again when it has
// its answer.
type tickTask struct{ partition *partition }

func (t *tickTask) run() {
	p := t.partition
	p.timerAt = group.Never
	for len(p.deadlines) > 0 && p.deadlines[0].deadline <= p.clock.now() {
		r := heap.Pop(&p.deadlines).(*resident)
		if !r.inFlight {
			p.settle(r)
		}
	}
	p.schedule()
}
