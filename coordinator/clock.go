package coordinator

import (
	"time"

	"github.com/joinsync/joinsync/group"
)

// clock tells the time as Kafka writes it, but never jumps: it starts at the time of day and goes on with the time that
// passes. So no change of the time of day, and no pause of the machine, ends every session at once.
type clock struct{ start time.Time }

func startClock() clock { return clock{start: time.Now()} }

func (c clock) now() group.Time {
	return group.Time(c.start.UnixMilli() + time.Since(c.start).Milliseconds())
}

// until returns how long to wait for a moment; when that has passed, now is not before it.
func (c clock) until(at group.Time) time.Duration {
	elapsed := time.Duration(int64(at)-c.start.UnixMilli()) * time.Millisecond
	return time.Until(c.start.Add(elapsed))
}
