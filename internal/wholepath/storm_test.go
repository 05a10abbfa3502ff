package wholepath_test

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"
)

var (
	firstSeed = flag.Uint64("seed", 1, "the first seed of the random schedules")
	seeds     = flag.Uint64("seeds", 1, "how many seeds to try with each kind of fault")
)

// weather says what goes wrong besides the members' own doings.
type weather struct {
	links       bool // single requests and answers are lost, and members cannot be reached for a while
	leaders     bool // leaders and releases take their time
	store       bool // appends are slow, refused, lost or of unknown outcome
	coordinator bool // it restarts
}

// aftermath is how long it may take until all is well again. In good weather that is the sessions of the dead, some
// heartbeats, and two rebalances.
func (w weather) aftermath() time.Duration {
	switch {
	case w.links: // a JoinGroup that was lost is waited for as long as one that is parked
		return 3 * time.Minute
	case w.leaders:
		return time.Minute
	}
	return 30 * time.Second
}

var weathers = map[string]weather{
	"members":     {},
	"leaders":     {leaders: true},
	"links":       {links: true},
	"store":       {store: true},
	"coordinator": {coordinator: true},
	"everything":  {links: true, leaders: true, store: true, coordinator: true},
}

// Members come, go, die and restart at random, while other things fail at random. When that is over everyone has to
// agree again.
func TestStorms(t *testing.T) {
	for name, w := range weathers {
		for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
			t.Run(fmt.Sprintf("%s/seed=%d", name, seed), func(t *testing.T) {
				storm(t, w, setting{seed: seed}, 100)
			})
		}
	}
}

// The same over connections: the members' sessions are franz-go's, and the coordinator is in a broker.
func TestStormsOverABroker(t *testing.T) {
	for name, w := range weathers {
		for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
			t.Run(fmt.Sprintf("%s/seed=%d", name, seed), func(t *testing.T) {
				storm(t, w, setting{seed: seed, broker: true, partitions: 60}, 20)
			})
		}
	}
}

// storm is one run. What its members have committed and fetched must be linearizable.
func storm(t *testing.T, w weather, s setting, members int) {
	var p *party
	bubble(t, func(t *testing.T) { p = rage(t, w, s, members) })
	checkLinearizable(t, p.ledger.history)
}

func rage(t *testing.T, w weather, s setting, members int) *party {
	store := newMoody()
	s.coordinator.Store, s.coordinator.Partitions = store, 4
	s.member.SessionTimeout, s.member.RebalanceTimeout = 10*time.Second, time.Minute
	s.member.BootstrapTimeout = -1 // a link may swallow a member's first request
	s.hurried = w.links
	s.cooperative = (s.seed%2 == 0) != s.broker
	s.lossless = !w.links && !w.store && !w.coordinator
	s.forgetful = w.store || w.coordinator
	if w.leaders {
		s.slowest = 5 * time.Second
	}
	p := newParty(t, s)
	static := members * 3 / 10
	p.hire(members - static)
	for i := range static {
		p.hireAs(fmt.Sprint("instance-", i))
	}
	for range 2 {
		p.settle(w.aftermath())
		p.blow(w, store)
		for range 20 {
			p.mishap(w)
			time.Sleep(p.dice.upTo(6 * time.Second))
		}
		p.calm(store)
	}
	p.settle(w.aftermath())
	t.Logf("%d members, generation %d, %d offsets committed, %d places lost, %d attempts repeated, %d fenced, batches %s",
		p.hired, p.generation(), p.ledger.committedSoFar(), p.counted("lost"), p.counted("retried"), p.counted("fenced"), store.tally())
	return p
}

// blow begins what goes on all the time.
func (p *party) blow(w weather, store *moody) {
	if w.links {
		p.network.unreliable(p.dice)
	}
	if w.leaders {
		p.onCompute(func(ctx context.Context, _ *worker) { sleep(ctx, p.dice.upTo(20*time.Second)) })
	}
	if w.store {
		store.become(p.dice)
	}
}

// calm ends everything that goes wrong.
func (p *party) calm(store *moody) {
	p.network.unreliable(nil)
	p.onCompute(nil)
	store.become(nil)
	for _, w := range p.living {
		w.link.mend()
	}
}

// mishap is one thing that happens.
func (p *party) mishap(w weather) {
	some := 1 + p.dice.intN(3)
	switch p.dice.intN(8) {
	case 0, 1:
		p.hire(some)
	case 2, 3:
		p.leave(p.pick(some)...)
	case 4:
		p.kill(p.pick(some)...)
	case 5:
		for _, w := range p.pick(some) { // static ones come back, dynamic ones are replaced
			end := p.leave
			if p.dice.oneIn(2) {
				end = p.kill
			}
			end(w)
			p.hireAs(w.instance)
		}
	case 6:
		for _, w := range p.pick(some) {
			w.Rejoin("")
		}
	case 7:
		switch {
		case w.coordinator && p.dice.oneIn(2):
			p.restart(p.dice.upTo(15*time.Second) * time.Duration(p.dice.intN(2)))
		case w.links:
			for _, w := range p.pick(some) {
				w.link.cut()
				time.AfterFunc(p.dice.upTo(30*time.Second), w.link.mend)
			}
		}
	}
}
