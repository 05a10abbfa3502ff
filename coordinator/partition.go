package coordinator

import (
	"container/heap"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// phase is what a partition can do (G-309).
type phase uint8

const (
	loading phase = iota // its records are being replayed
	active
	closed
)

// partition holds the groups whose id hashes to it. Everything but the owner belongs to whoever is its owner at the
// moment: see owner.
type partition struct {
	owner

	background context.Context // ends with the coordinator
	clock      clock
	config     *Config
	group      *group.Config
	index      int32
	phase      phase
	log        Log

	groups    map[string]*resident
	deadlines deadlines
	timer     *time.Timer
	timerAt   group.Time // when the timer fires; Never when it is not set

	parked    map[group.Token]*call // requests that wait for an answer of their group
	lastToken group.Token
	taken     *call // the request that is being given to its group, until it is answered
	output    group.Output
	tick      tickTask
}

func newPartition(background context.Context, clock clock, config *Config, groupConfig *group.Config, index int32) *partition {
	p := &partition{
		background: background, clock: clock, config: config, group: groupConfig, index: index, phase: loading, timerAt: group.Never,
		groups: make(map[string]*resident), parked: make(map[group.Token]*call),
	}
	p.tick.partition = p
	return p
}

// resident is a group with what the partition keeps for it.
type resident struct {
	group    *group.Group
	inFlight bool           // a batch of records is at the store
	batch    []group.Record // that batch, for Apply
	waiting  []*call        // came while the batch was at the store
	deadline group.Time     // its key in the heap: never later than the group's own deadline
	position int            // in the heap; -1 when it is not there
}

func newResident(id string, config *group.Config) *resident {
	return &resident{group: group.New(id, config), deadline: group.Never, position: -1}
}

// resident returns the group of that id, made anew if there is none; settle lets go of it again if nothing came of it.
func (p *partition) resident(id string) *resident {
	r := p.groups[id]
	if r == nil {
		id = strings.Clone(id) // the request that it came with is larger
		r = newResident(id, p.group)
		p.groups[id] = r
	}
	return r
}

// accept takes a request of a client. It runs in the owner.
func (p *partition) accept(c *call) {
	switch p.phase {
	case loading:
		c.answer(c.op.whileLoading())
		return
	case closed:
		c.fail(ErrClosed)
		return
	}
	r := p.resident(c.groupID)
	if r.inFlight && c.op.waitsForStore() {
		if len(r.waiting) >= p.config.MaxQueued {
			c.answer(c.op.failed(protocol.CoordinatorNotAvailable))
			return
		}
		r.waiting = append(r.waiting, c)
		return
	}
	p.take(r, c)
	if !r.inFlight {
		p.settle(r)
	}
}

// take gives one request to its group.
func (p *partition) take(r *resident, c *call) {
	if c.op.read(r.group) {
		c.answer(nil)
		return
	}
	p.lastToken++
	c.event.Token = p.lastToken
	p.taken = c
	p.step(r, &c.event)
	if p.taken != nil {
		p.parked[c.event.Token] = c
		p.taken = nil
	}
}

// step gives one event to a group and delivers what it answers. Records are left in the output, for settle.
func (p *partition) step(r *resident, ev *group.Event) {
	r.group.Step(p.clock.now(), ev, &p.output)
	for i := range p.output.Replies {
		p.deliver(&p.output.Replies[i])
	}
	p.report(r)
	clear(p.output.Replies)
	p.output.Replies = p.output.Replies[:0]
}

// deliver gives an answer to whoever waits for it.
func (p *partition) deliver(reply *group.Reply) {
	if c := p.taken; c != nil && c.event.Token == reply.Token {
		p.taken = nil
		c.reply(reply)
		return
	}
	if c := p.parked[reply.Token]; c != nil {
		delete(p.parked, reply.Token)
		c.reply(reply)
	}
}

// report tells events and log of what changed.
func (p *partition) report(r *resident) {
	for _, t := range p.output.Transitions {
		if p.config.Events.Transition != nil {
			p.config.Events.Transition(r.group.ID(), t)
		}
		if ce := p.config.Logger.Check(zap.DebugLevel, "group changed state"); ce != nil {
			ce.Write(zap.String("group", r.group.ID()), zap.Stringer("from", t.From), zap.Stringer("to", t.To),
				zap.Int32("generation", t.Generation), zap.Int("members", t.Members), zap.Stringer("reason", t.Reason))
		}
	}
	for _, removal := range p.output.Removals {
		if p.config.Events.Removal != nil {
			p.config.Events.Removal(r.group.ID(), removal)
		}
	}
	p.output.Transitions, p.output.Removals = p.output.Transitions[:0], p.output.Removals[:0]
}

// settle follows every step: it hands records to the store and goes on with what waited, until the group waits for the
// store or for its next event.
func (p *partition) settle(r *resident) {
	for {
		if len(p.output.Records) > 0 {
			p.gather(r)
			p.store(r)
			return
		}
		if len(r.waiting) > 0 {
			p.take(r, r.next())
			continue
		}
		if deadline := r.group.NextDeadline(); deadline <= p.clock.now() {
			p.step(r, &group.Event{Kind: group.Tick})
			continue
		}
		break
	}
	if r.group.State() == group.Dead {
		p.drop(r)
		return
	}
	p.watch(r)
}

// gather lets commits that wait share the batch of the commits before them, as many as are sure to fit.
func (p *partition) gather(r *resident) {
	if len(r.waiting) == 0 {
		return
	}
	room := p.config.roomBeside(r.group.ID(), p.output.Records)
	for len(r.waiting) > 0 && r.group.Gathers(&r.waiting[0].event) {
		if room -= mostOfCommit(r.group.ID(), &r.waiting[0].event); room < 0 {
			return
		}
		p.take(r, r.next())
	}
}

// next takes the first of the requests that wait.
func (r *resident) next() *call {
	c := r.waiting[0]
	r.waiting[0] = nil
	if r.waiting = r.waiting[1:]; len(r.waiting) == 0 {
		r.waiting = nil
	}
	return c
}

// store hands the output's records to the log, unless Kafka would not take them.
func (p *partition) store(r *resident) {
	r.inFlight = true
	r.batch = append(r.batch[:0], p.output.Records...)
	batch := encodeRecords(r.group.ID(), p.output.Records)
	clear(p.output.Records)
	p.output.Records = p.output.Records[:0]
	log := p.log
	stored := func(err error) { p.do(&storedTask{partition: p, log: log, resident: r, err: err}) }
	if err := p.config.fits(batch); err != nil {
		stored(err)
		return
	}
	log.Append(batch, stored)
}

// storedTask brings the store's answer to a batch.
type storedTask struct {
	partition *partition
	log       Log
	resident  *resident
	err       error
}

func (t *storedTask) run() {
	p, r := t.partition, t.resident
	if t.log != p.log || p.phase != active {
		return // the partition was given up meanwhile, and everybody answered
	}
	ev := group.Event{Kind: group.Stored}
	switch {
	case t.err == nil:
		for i := range r.batch {
			r.group.Apply(&r.batch[i])
		}
	case errors.Is(t.err, ErrRefused):
		p.config.Logger.Warn("the store refused records",
			zap.String("group", r.group.ID()), zap.Int32("partition", p.index), zap.Error(t.err))
		ev = group.Event{Kind: group.Refused, Error: refusalCode(t.err)}
	default:
		p.config.Logger.Error("it is not known whether records were stored; loading the partition again",
			zap.String("group", r.group.ID()), zap.Int32("partition", p.index), zap.Error(t.err))
		p.reload()
		return
	}
	clear(r.batch)
	r.batch = r.batch[:0]
	r.inFlight = false
	p.step(r, &ev)
	p.settle(r)
}

// unload answers everybody NOT_COORDINATOR, so that they look the coordinator up again, and forgets the groups (G-207).
func (p *partition) unload() {
	for _, id := range slices.Sorted(maps.Keys(p.groups)) {
		r := p.groups[id]
		p.step(r, &group.Event{Kind: group.Unload, Error: group.NotCoordinator})
		p.output.Reset()
		for len(r.waiting) > 0 {
			c := r.next()
			c.answer(c.op.failed(protocol.NotCoordinator))
		}
	}
	clear(p.groups)
	p.deadlines = nil
	p.schedule()
}

// reload gives the partition up and takes it back, from what the store has.
func (p *partition) reload() {
	p.unload()
	p.phase = loading
	old := p.log
	p.log = nil
	go func() {
		_ = old.Close() // the next Open fences it, whatever becomes of this
		p.loadUntilDone(p.background)
	}()
}

// close ends the partition.
func (p *partition) close() error {
	if p.phase == closed {
		return nil
	}
	p.unload()
	p.phase = closed
	if p.log == nil {
		return nil
	}
	return p.log.Close()
}

// drop forgets a group that does not exist.
func (p *partition) drop(r *resident) {
	if r.position >= 0 {
		heap.Remove(&p.deadlines, r.position)
	}
	delete(p.groups, r.group.ID())
}
