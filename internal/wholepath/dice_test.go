package wholepath_test

import (
	"math/rand/v2"
	"sync"
	"time"
)

// dice are seeded and may be thrown concurrently. Nil dice never show anything.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(seed uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, 0))} }

// intN returns a number below n.
func (d *dice) intN(n int) int {
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// oneIn is true once in n throws.
func (d *dice) oneIn(n int) bool { return d != nil && d.intN(n) == 0 }

// upTo returns a duration below limit.
func (d *dice) upTo(limit time.Duration) time.Duration { return time.Duration(d.intN(int(limit))) }
