package assignor

import (
	"errors"
	"fmt"
	"iter"
)

// What can be wrong with a plan. Errors that wrap these name the assignor, the topic, the partition and the cure.
var (
	ErrPartial = errors.New("the plan leaves partitions out")
	ErrDoubled = errors.New("the plan gives a partition to two members")
	ErrForeign = errors.New("the plan gives a partition to a member that does not subscribe to its topic")
	ErrUnknown = errors.New("the plan names a member, topic or partition that is not in the problem")
	ErrTaken   = errors.New("the plan sends a partition to a member while another one still owns it")
)

// Plan says which member is to own which partition. An assignor fills it; [Run] checks it, and from then on it does not
// change and may be read concurrently.
//
// The partitions of a plan belong to one member each, or to none yet. What an assignment cannot be, given twice
// or given to a member that did not subscribe, does not enter the plan: the first such fault is kept, and Run reports it.
type Plan struct {
	problem  *Problem
	owner    []int32  // by partition, topic after topic; nobody where it is not assigned
	withheld []uint64 // by partition, a bit: planned, but not sent in this round; nil if none is
	settled  bool     // whether all that moves is withheld, for sure
	userData [][]byte
	notes    notes
	fault    error
	admitted []int // by class: a topic that its members are known to subscribe to; -1 if none is

	start []int32 // start[m] is where the partitions of member m begin in list
	list  []int32 // all partitions to send, by member; nil while the plan is being filled
}

const nobody = -1

// NewPlan returns an empty plan. Whoever calls an assignor through Run has no need of it; an assignor that asks another
// one for its plan has.
func NewPlan(p *Problem) *Plan {
	plan := &Plan{
		problem:  p,
		owner:    make([]int32, p.Partitions()),
		admitted: make([]int, len(p.Classes)),
	}
	for i := range plan.owner {
		plan.owner[i] = nobody
	}
	for c := range plan.admitted {
		plan.admitted[c] = -1
	}
	return plan
}

// Problem returns the problem that this plan is for.
func (pl *Plan) Problem() *Problem { return pl.problem }

// Assign gives one partition to a member.
func (pl *Plan) Assign(member, topic, partition int) {
	pl.AssignRange(member, topic, partition, partition+1)
}

// AssignRange gives the partitions from, from+1, … to-1 of a topic to a member.
func (pl *Plan) AssignRange(member, topic, from, to int) {
	p := pl.problem
	switch {
	case pl.fault != nil || from == to:
		return
	case !pl.knows(member) || !pl.exist(topic, from, to):
		return
	case !pl.subscribes(member, topic):
		pl.fail("%w: partition %d of topic %q to member %q: choose from Problem.Subscribers of the topic",
			ErrForeign, from, p.Topics[topic].Name, p.Members[member].ID)
		return
	}
	owner := pl.owner[p.base[topic]+from : p.base[topic]+to]
	for i, before := range owner {
		if before != nobody {
			pl.fail("%w: partition %d of topic %q to %q and to %q: assign each partition once",
				ErrDoubled, from+i, p.Topics[topic].Name, p.Members[before].ID, p.Members[member].ID)
			return
		}
		owner[i] = int32(member)
	}
	pl.list, pl.settled = nil, false
}

// Move gives one partition to a member, whoever it was planned for before. It is for an assignor that changes what another
// one has planned; where members are cooperative it calls [Plan.WithholdMoving] after it.
func (pl *Plan) Move(member, topic, partition int) {
	if pl.fault == nil && pl.exist(topic, partition, partition+1) {
		pl.owner[pl.problem.base[topic]+partition] = nobody
		pl.Assign(member, topic, partition)
	}
}

// exist reports whether a topic has the partitions from, from+1, … to-1; if not, that is the plan's fault.
func (pl *Plan) exist(topic, from, to int) bool {
	topics := pl.problem.Topics
	switch {
	case topic < 0 || topic >= len(topics):
		pl.fail("%w: topic %d, of %d: use indices of Problem.Topics", ErrUnknown, topic, len(topics))
	case from < 0 || from > to || to > topics[topic].Partitions:
		pl.fail("%w: partitions %d to %d of topic %q, which has %d: use numbers below Topic.Partitions",
			ErrUnknown, from, to-1, topics[topic].Name, topics[topic].Partitions)
	default:
		return true
	}
	return false
}

// knows reports whether there is such a member; if not, that is the plan's fault.
func (pl *Plan) knows(member int) bool {
	count := len(pl.problem.Members)
	if member >= 0 && member < count {
		return true
	}
	pl.fail("%w: member %d, of %d: use indices of Problem.Members", ErrUnknown, member, count)
	return false
}

// fail keeps the first fault.
func (pl *Plan) fail(format string, args ...any) {
	if pl.fault == nil {
		pl.fault = fmt.Errorf(format, args...)
	}
}

// subscribes is Problem.Subscribes with the last topic of each class remembered, as most assignors go topic by topic.
func (pl *Plan) subscribes(member, topic int) bool {
	class := pl.problem.Members[member].Class
	if pl.admitted[class] == topic {
		return true
	}
	if !pl.problem.Subscribes(member, topic) {
		return false
	}
	pl.admitted[class] = topic
	return true
}

// SetUserData attaches bytes to a member's assignment, for the assignor in that member. The plan keeps the slice.
func (pl *Plan) SetUserData(member int, data []byte) {
	if !pl.knows(member) {
		return
	}
	if pl.userData == nil {
		pl.userData = make([][]byte, len(pl.problem.Members))
	}
	pl.userData[member] = data
}

// Note records something that a member sent wrongly to this assignor, and that was dropped.
func (pl *Plan) Note(n Note) { pl.notes.add(n) }

// Notes lists what members sent wrongly: the problem's notes, then the assignor's.
func (pl *Plan) Notes() []Note { return pl.notes.appendTo(pl.problem.Notes()) }

// Owner returns the member that a partition is planned for, -1 if it is none. A cooperative plan may withhold it
// from that member in this round ([Plan.Withheld]).
func (pl *Plan) Owner(topic, partition int) int {
	return int(pl.owner[pl.problem.base[topic]+partition])
}

// Partitions yields what a member is assigned in this round, as topic and partition, ascending: what is planned for it
// and not withheld. The number of these is Count.
func (pl *Plan) Partitions(member int) iter.Seq2[int, int] {
	return func(yield func(topic, partition int) bool) {
		for topic, list := range pl.runs(member) {
			for _, q := range list {
				if !yield(topic, int(q)-pl.problem.base[topic]) {
					return
				}
			}
		}
	}
}

// Count returns how many partitions a member is assigned in this round.
func (pl *Plan) Count(member int) int { return len(pl.assigned(member)) }

// check reports the first fault of a plan that its assignor has finished.
func (pl *Plan) check() error {
	if pl.fault != nil {
		return pl.fault
	}
	left, first := 0, 0
	for i, m := range pl.owner {
		if m != nobody {
			continue
		}
		if left == 0 {
			first = i
		}
		left++
	}
	if left == 0 {
		return nil
	}
	topic := 0
	for pl.problem.base[topic+1] <= first {
		topic++
	}
	return fmt.Errorf("%w: %d of %d, the first is partition %d of topic %q: assign every partition of Problem.Topics to one subscriber",
		ErrPartial, left, len(pl.owner), first-pl.problem.base[topic], pl.problem.Topics[topic].Name)
}
