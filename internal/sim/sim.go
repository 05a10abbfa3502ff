package sim

import (
	"fmt"
	"io"

	"github.com/joinsync/joinsync/group"
)

// Options are what a run can have its own of.
type Options struct {
	Moves int                      // of the first part
	Check func(*group.Group) error // what must hold inside a group between two steps; nil: nothing more
	Seen  func(*group.Output)      // is shown the output of each step, which it must not keep; nil: nobody
	Trace io.Writer                // is told what happens, a line each; nil: nobody
}

// Report is what came of a run.
type Report struct {
	Steps   int          // events that the group was given, and records
	Calm    group.Millis // how long the second part took, in virtual time
	Plans   int          // assignments that were stored
	Grants  int          // commits that were granted
	Crashes int          // of the coordinator
}

// Violation is something that must not happen.
type Violation struct {
	Seed   uint64
	Rule   string   // which rule does not hold
	Detail string   // in what way
	Moves  []uint64 // what had happened
}

func (v *Violation) Error() string {
	return fmt.Sprintf("seed %d, %d moves: %s: %s", v.Seed, len(v.Moves), v.Rule, v.Detail)
}

// Run runs the simulation of a seed. The error is nil or a *[Violation]. It may be called concurrently.
func Run(seed uint64, o Options) (Report, error) {
	d := dice(seed)
	moves := make([]uint64, o.Moves)
	for i := range moves {
		moves[i] = d.next()
	}
	return run(seed, moves, o)
}

// run runs the moves of a schedule in the setting of a seed. What panics is a violation too.
func run(seed uint64, moves []uint64, o Options) (report Report, err error) {
	s := newSimulation(seed, o)
	done := 0
	defer func() {
		switch broken := recover().(type) {
		case nil:
		case *Violation:
			broken.Seed, broken.Moves = seed, moves[:done]
			err = broken
		default:
			err = &Violation{Seed: seed, Rule: noPanic, Detail: fmt.Sprint(broken), Moves: moves[:done]}
		}
		report = s.report
	}()
	for _, move := range moves {
		done++
		s.dice = dice(move)
		s.move()
	}
	s.calmDown()
	s.leaveAlone()
	return s.report, nil
}

// simulation is one run.
type simulation struct {
	options Options
	report  Report
	dice    dice // of the move under way
	peace   int  // how many times rarer than usual the coordinator loses its memory
	calm    bool // nothing fails any more

	time group.Time // as it passes
	skew group.Time // by how much the coordinator's clock is ahead

	host    host
	members []*member
	wire    wire
	audit   audit
	ledger  ledger
	offsets int64  // the last offset that anybody committed
	asked   uint64 // numbers the requests
	plans   uint32 // numbers what leaders computed
}

// newSimulation draws the setting.
func newSimulation(seed uint64, o Options) *simulation {
	s := &simulation{options: o, time: 1_000_000, dice: dice(^seed)}
	d := &s.dice
	s.host.config = &group.Config{
		InitialRebalanceDelay: pick[group.Millis](d, 0, 100, 3000), MaxSize: pick(d, 2, 3, 100, 100), MaxPending: pick(d, 1, 100, 100),
		OffsetMetadataMax: 3, OffsetsRetention: pick[int64](d, 1000, 60_000), SubscribedTopics: subscription,
	}
	s.peace = pick(d, 1, 4, 50)
	s.host.group = group.New(groupID, s.host.config)
	s.host.open = make(map[group.Token]*call)
	s.audit = newAudit()
	s.ledger = newLedger()
	for i := range 1 + d.intN(7) {
		s.members = append(s.members, newMember(i, d))
	}
	return s
}

const groupID = "g"

// now is the time of the coordinator's clock.
func (s *simulation) now() group.Time { return s.time + s.skew }

// must asserts a rule.
func (s *simulation) must(ok bool, rule, format string, args ...any) {
	if !ok {
		panic(&Violation{Rule: rule, Detail: fmt.Sprintf(format, args...)})
	}
}
