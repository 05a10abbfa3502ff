package coordinator

import "sync"

// owner runs the tasks of one partition, one at a time and in order. There is no goroutine of its own: whoever comes
// while nobody is there runs its task at once, on its own goroutine, and then what others have left meanwhile. So an
// uncontended request is a function call, and no lock is held while a task runs.
type owner struct {
	mu    sync.Mutex
	busy  bool
	queue []task
	spare []task // the memory of the queue that was run last
}

// task is a piece of work on a partition's state. It must not block.
type task interface{ run() }

// visitLimit is how many tasks of others one goroutine runs before it hands the queue over to a goroutine made for
// that, so that no caller waits for its own answer while it works for everybody else.
const visitLimit = 64

// do runs t, now or soon. It reports whether it has run it itself, before it returned.
func (o *owner) do(t task) bool {
	o.mu.Lock()
	if o.busy {
		o.queue = append(o.queue, t)
		o.mu.Unlock()
		return false
	}
	o.busy = true
	o.mu.Unlock()
	t.run()
	o.drain(visitLimit)
	return true
}

// drain runs what is queued and gives the partition up when nothing is. limit is how many tasks to run at most; 0 is
// no limit.
func (o *owner) drain(limit int) {
	var tasks []task
	for done := 0; ; done += len(tasks) {
		o.mu.Lock()
		o.spare = tasks
		if len(o.queue) == 0 {
			o.busy = false
			o.mu.Unlock()
			return
		}
		if limit > 0 && done >= limit {
			o.mu.Unlock()
			go o.drain(0)
			return
		}
		tasks, o.queue = o.queue, o.spare[:0]
		o.mu.Unlock()
		for i, t := range tasks {
			t.run()
			tasks[i] = nil
		}
	}
}
