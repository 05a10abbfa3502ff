package group

// timerKind orders timers that are due at the same moment.
type timerKind uint8

const (
	joinTimer    timerKind = iota // ends the join phase
	syncTimer                     // ends the wait for SyncGroups
	sessionTimer                  // ends a member's session
	pendingTimer                  // ends the wait for a member id's first join
)

// timer is a deadline as data. The zero value is not set.
type timer struct {
	deadline Time
	queued   Time   // its key in the heap: the deadline or, after a heartbeat moved that, an earlier one
	order    uint64 // settles ties among timers of a kind: the order in which members came
	id       string // member id of a sessionTimer or pendingTimer
	position int32  // in the heap, counted from 1; 0 when not set
	kind     timerKind
}

func (t *timer) set() bool { return t.position != 0 }

// before is the order in which timers fire: deadline, kind, member.
func (t *timer) before(u *timer) bool {
	if t.queued != u.queued {
		return t.queued < u.queued
	}
	if t.kind != u.kind {
		return t.kind < u.kind
	}
	return t.order < u.order
}

// timers is a binary heap. Moving a deadline later, as each heartbeat does, touches only the timer itself: its place in
// the heap is mended when it comes to the top. So a heartbeat costs no walk through the heap.
type timers struct {
	heap []*timer
}

// schedule sets t to fire at deadline, whether or not it was set.
func (ts *timers) schedule(t *timer, deadline Time) {
	t.deadline = deadline
	switch {
	case !t.set():
		t.queued = deadline
		ts.heap = append(ts.heap, t)
		t.position = int32(len(ts.heap))
		ts.up(t)
	case deadline < t.queued:
		t.queued = deadline
		ts.up(t)
	}
}

// cancel unsets t; it may be unset already.
func (ts *timers) cancel(t *timer) {
	if !t.set() {
		return
	}
	last := ts.heap[len(ts.heap)-1]
	ts.heap[len(ts.heap)-1] = nil
	ts.heap = ts.heap[:len(ts.heap)-1]
	if last != t {
		ts.place(last, t.position)
		ts.up(last)
		ts.down(last)
	}
	t.position = 0
}

// earliest returns a moment that no deadline lies before, or Never.
func (ts *timers) earliest() Time {
	if len(ts.heap) == 0 {
		return Never
	}
	return ts.heap[0].queued
}

// first returns the timer that fires next, or nil.
func (ts *timers) first() *timer {
	for len(ts.heap) > 0 {
		t := ts.heap[0]
		if t.queued == t.deadline {
			return t
		}
		t.queued = t.deadline
		ts.down(t)
	}
	return nil
}

func (ts *timers) place(t *timer, position int32) {
	ts.heap[position-1] = t
	t.position = position
}

func (ts *timers) up(t *timer) {
	for t.position > 1 {
		parent := ts.heap[t.position/2-1]
		if !t.before(parent) {
			return
		}
		position := parent.position
		ts.place(parent, t.position)
		ts.place(t, position)
	}
}

func (ts *timers) down(t *timer) {
	for {
		child := 2 * t.position
		if int(child) > len(ts.heap) {
			return
		}
		least := ts.heap[child-1]
		if int(child) < len(ts.heap) && ts.heap[child].before(least) {
			least = ts.heap[child]
		}
		if !least.before(t) {
			return
		}
		position := least.position
		ts.place(least, t.position)
		ts.place(t, position)
	}
}
