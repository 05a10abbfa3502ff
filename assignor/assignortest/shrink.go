package assignortest

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/joinsync/joinsync/internal/vector"
)

// shrinkTime bounds how long a failure is made smaller.
const shrinkTime = 5 * time.Second

// shrink takes away from the input or the history of a fault what is not needed for the check to fail.
func (c *checker) shrink(f fault) fault {
	until := time.Now().Add(shrinkTime)
	for again := true; again; {
		again = false
		for faults := range c.smaller(f) {
			if c.stopped.Load() || time.Now().After(until) {
				return f
			}
			if i := slices.IndexFunc(faults, func(g fault) bool { return g.check == f.check }); i >= 0 {
				f, again = faults[i], true
				break
			}
		}
	}
	return f
}

// smaller yields what fails where one thing is left out.
func (c *checker) smaller(f fault) iter.Seq[[]fault] {
	return func(yield func([]fault) bool) {
		switch {
		case f.in != nil:
			for in := range reductions(f.in) {
				if !yield(c.judge(in)) {
					return
				}
			}
		case f.history != nil:
			for h := range f.history.reductions() {
				if !yield(c.live(h)) {
					return
				}
			}
		}
	}
}

// reductions yields inputs that lack one thing each, large ones first.
func reductions(in *vector.Input) iter.Seq[*vector.Input] {
	return func(yield func(*vector.Input) bool) {
		for i := range in.Members {
			smaller := &vector.Input{Topics: in.Topics, Members: slices.Delete(slices.Clone(in.Members), i, i+1)}
			if !yield(smaller) {
				return
			}
		}
		for i := range in.Topics {
			smaller := &vector.Input{Topics: slices.Delete(slices.Clone(in.Topics), i, i+1), Members: slices.Clone(in.Members)}
			for m := range smaller.Members {
				forget(&smaller.Members[m], in.Topics[i].Name)
			}
			if !yield(smaller) {
				return
			}
		}
		for i := range in.Topics {
			for t := range lesserTopics(in.Topics[i]) {
				smaller := &vector.Input{Topics: slices.Clone(in.Topics), Members: in.Members}
				if smaller.Topics[i] = t; !yield(smaller) {
					return
				}
			}
		}
		for i := range in.Members {
			for m := range lesserMembers(in.Members[i]) {
				smaller := &vector.Input{Topics: in.Topics, Members: slices.Clone(in.Members)}
				if smaller.Members[i] = m; !yield(smaller) {
					return
				}
			}
		}
	}
}

// forget takes a topic out of what a member says.
func forget(m *vector.Member, topic string) {
	m.Subs = slices.DeleteFunc(slices.Clone(m.Subs), func(name string) bool { return name == topic })
	m.Owned = maps.Clone(m.Owned)
	delete(m.Owned, topic)
}

// lesserTopics yields topics with fewer partitions, or without racks.
func lesserTopics(t vector.Topic) iter.Seq[vector.Topic] {
	return func(yield func(vector.Topic) bool) {
		if t.Racks != nil && !yield(vector.Topic{Name: t.Name, Parts: t.Parts}) {
			return
		}
		for _, parts := range []int{t.Parts / 2, t.Parts - 1} {
			if parts < 1 {
				return
			}
			lesser := vector.Topic{Name: t.Name, Parts: parts}
			if t.Racks != nil {
				lesser.Racks = t.Racks[:parts]
			}
			if !yield(lesser) {
				return
			}
		}
	}
}

// lesserMembers yields members that say less.
func lesserMembers(m vector.Member) iter.Seq[vector.Member] {
	bare := []func(*vector.Member){
		func(m *vector.Member) { m.Owned = nil },
		func(m *vector.Member) { m.Generation = nil },
		func(m *vector.Member) { m.Version = nil },
		func(m *vector.Member) { m.UserData = nil },
		func(m *vector.Member) { m.Told = nil },
		func(m *vector.Member) { m.Instance = "" },
		func(m *vector.Member) { m.Rack = "" },
	}
	for i := range m.Subs {
		bare = append(bare, func(m *vector.Member) { m.Subs = slices.Delete(slices.Clone(m.Subs), i, i+1) })
	}
	for topic, list := range m.Owned {
		for i := range list {
			bare = append(bare, func(m *vector.Member) { // a lower number; one less
				m.Owned = maps.Clone(m.Owned)
				m.Owned[topic] = slices.Clone(list)
				m.Owned[topic][i] = int32(i)
			}, func(m *vector.Member) {
				m.Owned = maps.Clone(m.Owned)
				if m.Owned[topic] = slices.Delete(slices.Clone(list), i, i+1); len(list) == 1 {
					delete(m.Owned, topic)
				}
			})
		}
	}
	return func(yield func(vector.Member) bool) {
		before := (&vector.Input{Members: []vector.Member{m}}).String()
		for _, strip := range bare {
			lesser := m
			strip(&lesser)
			if (&vector.Input{Members: []vector.Member{lesser}}).String() != before && !yield(lesser) {
				return
			}
		}
	}
}
