package assignortest

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// judge takes an input through all checks. Where there is no plan, that is the only fault.
func (c *checker) judge(in *vector.Input) []fault {
	tr, faults := c.look(in)
	if tr == nil {
		return faults
	}
	f := c.again(tr)
	if f == nil && !c.reported[same] { // if not the same way twice, then by chance not in another order
		f = c.inOtherOrder(tr)
	}
	if f != nil {
		faults = append(faults, *f.on(in))
	}
	return faults
}

// look is what the promises have to say of one plan. The trial is nil if there is none.
func (c *checker) look(in *vector.Input) (*trial, []fault) {
	tr, f := c.attempt(in)
	if f != nil {
		return nil, []fault{*f}
	}
	if slices.ContainsFunc(in.Members, func(m vector.Member) bool { return m.UserData != nil }) {
		return tr, nil
	}
	var faults []fault
	for _, p := range c.promises {
		if text := p.broken(tr); text != "" {
			faults = append(faults, *(&fault{check: p.check, text: text}).on(in))
		}
	}
	return tr, faults
}

// unchanged compares the problem with one of the same bytes that the assignor has not seen.
func unchanged(tr *trial) *fault {
	was, is := reflect.ValueOf(tr.fresh).Elem(), reflect.ValueOf(tr.problem).Elem()
	for i := range was.NumField() {
		if field := was.Type().Field(i); field.IsExported() && !reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			return &fault{check: untouched, text: fmt.Sprintf("it has changed Problem.%s: it was %+v and is %+v",
				field.Name, was.Field(i).Interface(), is.Field(i).Interface())}
		}
	}
	for t, topic := range tr.fresh.Topics {
		if !slices.Equal(tr.fresh.Subscribers(t), tr.problem.Subscribers(t)) {
			return &fault{check: untouched, text: fmt.Sprintf("it has changed Problem.Subscribers of %s", topic.Name)}
		}
	}
	return nil
}

// repeats is how often a problem is solved again: that many iterations of a map of two hardly ever go the same way.
const repeats = 4

// again solves the same problem some more times: right away, after another problem, and in several goroutines at once.
func (c *checker) again(tr *trial) *fault {
	for range repeats {
		if f := c.compare(tr, tr.problem, same, "when asked again"); f != nil {
			return f
		}
	}
	if _, f := c.attempt(otherThan(tr.in)); f != nil {
		return f
	}
	if f := c.compare(tr, tr.problem, same, "after another problem in between"); f != nil {
		return f
	}
	faults := make([]*fault, 2)
	var all sync.WaitGroup
	for i := range faults {
		all.Go(func() { faults[i] = c.compare(tr, tr.problem, same, "in two goroutines at once") })
	}
	all.Wait()
	return firstOf(faults[0], faults[1], unchanged(tr))
}

func firstOf(faults ...*fault) *fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
}

// otherThan is a group like another one, without its last member and with larger topics.
func otherThan(in *vector.Input) *vector.Input {
	other := &vector.Input{Members: in.Members[:max(0, len(in.Members)-1)]}
	for _, t := range in.Topics {
		other.Topics = append(other.Topics, vector.Topic{Name: t.Name, Parts: t.Parts + 1})
	}
	return other
}

// inOtherOrder solves the problem of the same members and topics, listed backwards.
func (c *checker) inOtherOrder(tr *trial) *fault {
	join, cluster := tr.join, clusterOf(tr.in)
	join.Members = slices.Clone(join.Members)
	slices.Reverse(join.Members)
	slices.Reverse(cluster.Topics)
	problem, f := problemOf(join, cluster)
	if f != nil {
		return f
	}
	return c.compare(tr, problem, order, "with members and topics listed backwards")
}

// compare solves a problem and compares the plan with that of the trial.
func (c *checker) compare(tr *trial, problem *assignor.Problem, check check, when string) *fault {
	second := &trial{in: tr.in, join: tr.join, problem: problem, fresh: tr.fresh}
	if f := c.solve(second); f != nil {
		return &fault{check: f.check, text: fmt.Sprintf("%s, which only happened %s", f.text, when)}
	}
	if f := second.send(); f != nil {
		return f
	}
	for p := range tr.partitions() {
		if first, then := tr.owners[p], second.owners[p]; first != then {
			return &fault{check: check, text: fmt.Sprintf("%v goes to %v, and %s to %v", p, first, when, then)}
		}
	}
	for m, member := range tr.problem.Members {
		if string(tr.sent[member.ID]) != string(second.sent[problem.Members[m].ID]) {
			return &fault{check: check, text: fmt.Sprintf("member %s is sent other user data %s", member.ID, when)}
		}
	}
	return nil
}

// String is the member, and whether it gets the partition already.
func (g given) String() string {
	if g.withheld {
		return g.member + " (withheld)"
	}
	return g.member
}
