package wholepath_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// groupID is the group that everybody is in.
const groupID = "party"

// setting is what a party can have its own of. The zero value is Kafka's defaults, and 300 partitions.
type setting struct {
	coordinator coordinator.Config
	member      client.Config
	partitions  int32
	broker      bool          // the coordinator is in a broker, and members reach it over connections
	slowest     time.Duration // the longest that a worker takes to give up its work
	hurried     bool          // workers often give up their work without a last commit
	lossless    bool          // every request is answered, but for those of who is killed
	forgetful   bool          // coordinators may forget what was never stored: see party.replaceFenced
	cooperative bool          // members keep their partitions while they join (KIP-429)
	seed        uint64
}

// party is one group: its coordinator, the way there, and the workers.
type party struct {
	setting
	t       *testing.T
	network *network
	ledger  *ledger
	dice    *dice
	shut    func() error // ends the coordinator of the moment

	living []*worker // in the order in which they were hired; for the test's goroutine
	hired  int

	mu     sync.Mutex
	counts map[string]int // of what happened to the workers and to the group
	latest group.Transition
	hold   func(ctx context.Context, leader *worker) // called in a leader while it computes; nil: it goes on
}

// newParty starts a coordinator without members. Everything is closed at the end of the test.
func newParty(t *testing.T, s setting) *party {
	t.Helper()
	if s.partitions == 0 {
		s.partitions = 300
	}
	if s.coordinator.Store == nil {
		s.coordinator.Store = coordinator.NewMemoryStore()
	}
	p := &party{
		setting: s, t: t, ledger: newLedger(t), dice: newDice(s.seed), counts: make(map[string]int),
	}
	p.network = &network{ledger: p.ledger}
	p.member.Group = groupID
	p.coordinator.Topics = coordinator.FixedTopics{topic: s.partitions}
	p.coordinator.Events = &coordinator.Events{Transition: p.changed}
	p.open()
	t.Cleanup(p.end)
	return p
}

// open starts a coordinator on the party's store, and leads everybody there. It tries again while the store is away.
func (p *party) open() {
	p.t.Helper()
	for range 100 {
		err := p.start()
		if err == nil {
			return
		}
		if !errors.Is(err, errAway) {
			p.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Fatal("the store is always away")
}

func (p *party) start() error {
	if p.broker {
		return p.startBroker()
	}
	c, err := coordinator.New(context.Background(), p.coordinator)
	if err == nil {
		p.network.lead(c, nil)
		p.shut = c.Close
	}
	return err
}

// restart closes the coordinator, and starts the next one after some time.
func (p *party) restart(after time.Duration) {
	p.t.Helper()
	p.closeCoordinator()
	if after > 0 {
		time.Sleep(after)
	}
	p.open()
}

func (p *party) closeCoordinator() {
	p.t.Helper()
	if err := p.shut(); err != nil {
		p.t.Error(err)
	}
}

func (p *party) end() {
	var closing sync.WaitGroup
	for _, w := range p.living {
		closing.Go(func() { p.close(w) })
	}
	closing.Wait()
	p.closeCoordinator()
	p.network.underWay.Wait()
	if p.broker {
		time.Sleep(time.Minute) // franz-go's Close does not wait for connections that are being made
	}
}

// hire makes n dynamic members join, and returns them at once.
func (p *party) hire(n int) []*worker {
	p.t.Helper()
	var fresh []*worker
	for range n {
		fresh = append(fresh, p.hireAs(""))
	}
	return fresh
}

// hireAs makes a member join under an instance id, or as a dynamic one.
func (p *party) hireAs(instance string) *worker {
	p.t.Helper()
	p.hired++
	w := &worker{party: p, name: fmt.Sprintf("worker-%d", p.hired), instance: instance, link: p.network.link(), positions: make(map[int32]int64)}
	c, err := consumer.New(w.link, w.config())
	if err != nil {
		p.t.Fatal(err)
	}
	w.Consumer = c
	p.living = append(p.living, w)
	c.Join(context.Background())
	return w
}

// close ends a member in good order.
func (p *party) close(w *worker) {
	if err := w.Close(context.Background()); err != nil && !p.excusable(err) {
		p.t.Errorf("%s: %v", w.name, err)
	}
}

// excusable tells whether a member may have ended with err. A static member that comes back in the middle of a rebalance
// gets a member id that is stored with the next assignment only. If the coordinator is replaced before that, the next one
// has the member's former id, and takes the member for an impostor (G-152, G-211). So does Kafka's.
func (p *party) excusable(err error) bool {
	return p.forgetful && errors.Is(err, protocol.FencedInstanceID)
}

// replaceFenced does what a supervisor does: it starts static members again that were taken for impostors.
func (p *party) replaceFenced() {
	for _, w := range slices.Clone(p.living) {
		if p.excusable(w.Err()) {
			p.count("fenced")
			p.leave(w)
			p.hireAs(w.instance)
		}
	}
}

// dismiss takes workers off the living, and ends each by fn, all at once.
func (p *party) dismiss(workers []*worker, fn func(*worker)) {
	var gone sync.WaitGroup
	for _, w := range workers {
		p.living = slices.DeleteFunc(p.living, func(l *worker) bool { return l == w })
		gone.Go(func() { fn(w) })
	}
	gone.Wait()
}

// leave closes members.
func (p *party) leave(workers ...*worker) { p.dismiss(workers, p.close) }

// kill ends members as a crash does: nothing more is heard of them.
func (p *party) kill(workers ...*worker) {
	p.dismiss(workers, func(w *worker) {
		w.link.cut()
		dead, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.Close(dead) // it could not say good-bye
		<-w.Done()
	})
}

// pick returns n of the living, at random, or all if they are fewer.
func (p *party) pick(n int) []*worker {
	picked := slices.Clone(p.living)
	n = min(n, len(picked))
	for i := range n {
		j := i + p.dice.intN(len(picked)-i)
		picked[i], picked[j] = picked[j], picked[i]
	}
	return picked[:n]
}

// changed is told by the coordinator.
func (p *party) changed(_ string, t group.Transition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = t
	p.counts["to "+t.To.String()]++
}

// generation returns the group's generation, as the coordinator reported it last.
func (p *party) generation() int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest.Generation
}

func (p *party) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[what]++
}

// counted returns how often something has happened, and counts from 0 again.
func (p *party) counted(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.counts[what]
	p.counts[what] = 0
	return n
}

// onCompute makes leaders call hold while they compute; nil: no more.
func (p *party) onCompute(hold func(ctx context.Context, leader *worker)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = hold
}

// holdLeader is where a leader is while it computes.
func (p *party) holdLeader(ctx context.Context, leader *worker) {
	p.mu.Lock()
	hold := p.hold
	p.mu.Unlock()
	if hold != nil {
		hold(ctx, leader)
	}
}
