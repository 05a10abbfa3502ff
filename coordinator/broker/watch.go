package broker

import (
	"slices"
	"time"

	"go.uber.org/zap"
)

// watchInterval is how often is looked for transactions whose time is up, while there are any. Kafka looks every 10 s
// (transaction.abort.timed.out.transaction.cleanup.interval.ms).
const watchInterval = time.Second

// watch looks after transactions with offsets that nobody asks for, as long as there are any.
func (t *transactions) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-t.ctx.Done():
			return
		}
		due, ok := t.due(time.Now())
		if !ok {
			return
		}
		for _, id := range due {
			x, release, err := t.take(t.ctx, id)
			if err != nil {
				return
			}
			if _, err := t.look(t.ctx, x); err != nil {
				t.log.Debug("cannot ask for a transaction; asking again", zap.String("transactional id", id), zap.Error(err))
			}
			release()
		}
	}
}

// due returns the transactional ids to look at. It is not ok, and the watch ends, if there will be none.
func (t *transactions) due(now time.Time) (due []string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, x := range t.known {
		if x.users > 0 || len(x.parts) == 0 { // who leaves it sees to it that somebody watches, if need be
			continue
		}
		ok = true
		if x.ended || !now.Before(x.timeout) {
			due = append(due, id)
		}
	}
	slices.Sort(due)
	t.watched = ok
	return due, ok
}
