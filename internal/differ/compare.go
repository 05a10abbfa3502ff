package differ

import "slices"

// A system executes a run of a schedule on one of the two that are compared, on a target of its own.
type system func(r run, s schedule) (schedule, error)

// A divergence is a step that ours answered otherwise than the reference.
type divergence struct {
	schedule schedule // with the answers of the reference, up to that step
	ours     []string
}

// compare replays what the reference has answered on ours, and returns the first divergence, or nil. Where requests were
// sent at once, some order of them must give the answers of the reference.
func compare(recorded schedule, ours system) *divergence {
	var farthest *divergence
	for swapped := range uint(1) << recorded.pairs() {
		played, err := ours(run{inTurn: true, swapped: swapped}, recorded)
		d := recorded.divergence(played, err)
		if d == nil {
			return nil
		}
		if farthest == nil || len(d.schedule.steps) > len(farthest.schedule.steps) {
			farthest = d
		}
	}
	return farthest
}

// divergence returns the first step that was answered otherwise, or nil. What was played may have ended with an error: a step
// speaks of a member that is not there because an answer was another.
func (s schedule) divergence(played schedule, err error) *divergence {
	for i, st := range s.steps {
		if i == len(played.steps) {
			return &divergence{schedule{s.seed, s.steps[:i+1]}, []string{err.Error()}}
		}
		if !slices.Equal(st.answers, played.steps[i].answers) {
			return &divergence{schedule{s.seed, s.steps[:i+1]}, played.steps[i].answers}
		}
	}
	return nil
}

// pairs counts the steps that send requests at once.
func (s schedule) pairs() (n int) {
	for _, st := range s.steps {
		if len(st.lines) > 1 {
			n++
		}
	}
	return n
}
