package assignortest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
)

// TestDrawsReachWhatIsKnownToGoWrong: the checks are worth as much as what they are made on. Among as many
// as Check makes there is each kind.
func TestDrawsReachWhatIsKnownToGoWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short there are too few draws")
	}
	reached := map[string]int{}
	for range batches {
		rapid.Check(t, func(t *rapid.T) {
			in := drawInput(t)
			for name, is := range kinds {
				if is(in) {
					reached[name]++
				}
			}
		})
	}
	for name := range kinds {
		t.Logf("%4d %s", reached[name], name)
		if reached[name] == 0 {
			t.Errorf("no draw has this: %s", name)
		}
	}
}

// kinds are the troublemakers: those of testdata/vectors/README.md that Java's assignors get wrong, and the rest of what the package
// comment promises.
var kinds = map[string]func(*vector.Input) bool{
	"no members":    func(in *vector.Input) bool { return len(in.Members) == 0 && len(in.Topics) > 0 },
	"no topics":     func(in *vector.Input) bool { return len(in.Members) > 0 && len(in.Topics) == 0 },
	"unknown topic": anyMember(func(_ *vector.Input, m vector.Member) bool { return slices.Contains(m.Subs, unknown) }),
	"no partitions": anyMember(func(in *vector.Input, m vector.Member) bool {
		return len(in.Topics) > 0 && in.Topics[0].Parts == 0 && subscribes(m, 0)
	}),
	"a topic twice": anyMember(func(_ *vector.Input, m vector.Member) bool {
		return len(m.Subs) > len(slices.Compact(slices.Sorted(slices.Values(m.Subs))))
	}),
	"garbage":   anyMember(func(_ *vector.Input, m vector.Member) bool { return m.UserData != nil }),
	"static":    anyMember(func(in *vector.Input, m vector.Member) bool { return m.Instance != "" && len(in.Members) > 1 }),
	"version 0": anyMember(func(_ *vector.Input, m vector.Member) bool { return m.Version != nil && *m.Version == 0 }),
	"racks that count": anyMember(func(in *vector.Input, m vector.Member) bool {
		return m.Rack != "" && slices.ContainsFunc(in.Topics, racked)
	}),
	"empty subscription first (Java's fault 2)": func(in *vector.Input) bool {
		return len(in.Members) > 1 && len(in.Members[0].Subs) == 0 && len(in.Members[1].Subs) > 0
	},
	"ghost claim beside one that holds (1)": anyMember(func(in *vector.Input, m vector.Member) bool {
		return claims(in, m, func(t vector.Topic, q int) bool { return q >= t.Parts }) && claims(in, m, func(t vector.Topic, q int) bool { return q >= 0 && q < t.Parts })
	}),
	"claim of partition -1": anyMember(func(in *vector.Input, m vector.Member) bool {
		return claims(in, m, func(_ vector.Topic, q int) bool { return q < 0 })
	}),
	"stale claim of a topic no longer subscribed to (3)": anyMember(func(in *vector.Input, m vector.Member) bool {
		stale := slices.ContainsFunc(in.Members, func(other vector.Member) bool { return other.Since() > m.Since() && len(other.Owned) > 0 })
		return stale && claims(in, m, func(t vector.Topic, q int) bool { return q < t.Parts && !slices.Contains(m.Subs, t.Name) })
	}),
	"rivals of different generations": rivals(func(a, b vector.Member) bool { return a.Since() < b.Since() }),
	"rivals of the same generation":   rivals(func(a, b vector.Member) bool { return a.Since() == b.Since() && a.Since() >= 0 }),
	"rivals of old versions, of different generations (4)": rivals(func(a, b vector.Member) bool {
		return a.Since() < b.Since() && b.Version != nil && *b.Version < 2 && a.UserData == nil && b.UserData == nil
	}),
	"honest, all alike, and one owns more than its share": func(in *vector.Input) bool {
		c := &checker{a: assignor.Sticky{}}
		owners := c.previous(in, true)
		if len(in.Members) < 2 || slices.ContainsFunc(in.Members, func(m vector.Member) bool { return m.UserData != nil || len(m.Subs) < len(in.Topics) }) || !slices.ContainsFunc(in.Topics, func(t vector.Topic) bool { return t.Parts > 0 }) {
			return false
		}
		had, parts := map[string]int{}, 0
		for _, owner := range owners {
			had[owner]++
		}
		for _, t := range in.Topics {
			parts += t.Parts
		}
		return needed(had, parts, len(in.Members)) > 0
	},
}

func anyMember(is func(*vector.Input, vector.Member) bool) func(*vector.Input) bool {
	return func(in *vector.Input) bool {
		return slices.ContainsFunc(in.Members, func(m vector.Member) bool { return is(in, m) })
	}
}

func racked(t vector.Topic) bool { return t.Racks != nil }

func subscribes(m vector.Member, topic int) bool {
	return slices.Contains(m.Subs, "t"+string(rune('0'+topic)))
}

// claims reports whether a member claims such a partition of a topic that there is.
func claims(in *vector.Input, m vector.Member, such func(vector.Topic, int) bool) bool {
	return slices.ContainsFunc(in.Topics, func(t vector.Topic) bool {
		return t.Parts > 0 && slices.ContainsFunc(m.Owned[t.Name], func(q int32) bool { return such(t, int(q)) })
	})
}

// rivals are two members that claim the same existing partition and subscribe to its topic.
func rivals(such func(a, b vector.Member) bool) func(*vector.Input) bool {
	return anyMember(func(in *vector.Input, a vector.Member) bool {
		return slices.ContainsFunc(in.Members, func(b vector.Member) bool {
			return a.ID != b.ID && such(a, b) && claims(in, a, func(t vector.Topic, q int) bool {
				return q >= 0 && q < t.Parts && slices.Contains(b.Owned[t.Name], int32(q)) && slices.Contains(b.Subs, t.Name) && slices.Contains(a.Subs, t.Name)
			})
		})
	})
}

// TestGroupsLiveThroughEveryEvent: in drawn histories everything happens that can, handovers and members that missed one too.
func TestGroupsLiveThroughEveryEvent(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short there are too few draws")
	}
	reached := map[string]int{}
	count := func(name string, is bool) {
		if is {
			reached[name]++
		}
	}
	for _, a := range []assignor.Assignor{assignor.Sticky{}, assignor.CooperativeSticky{}} {
		c, ok := newChecker(t, a, nil)
		if !ok {
			t.FailNow()
		}
		live := func(t *rapid.T) {
			h := drawHistory(t)
			for _, e := range h.events {
				reached[[]string{"joins", "leaves", "changes", "grows", "misses", "restarts"}[e.kind]]++
			}
			l := c.newGroup(h, c.cooperative)
			for _, e := range h.events {
				l.happen(e)
				before := len(l.rounds)
				c.reportAll(l.settle())
				count("settles in one round", len(l.rounds) == before+1)
				count("settles in two", c.cooperative && len(l.rounds) == before+2)
			}
			for _, in := range l.rounds {
				for i, m := range in.Members {
					count("a member that missed one claims what it had", i > 0 && len(m.Owned) > 0 && m.Since() >= 0 && m.Since() < in.Members[0].Since())
				}
			}
		}
		for range batches {
			rapid.Check(t, live)
		}
	}
	for _, name := range []string{"joins", "leaves", "changes", "grows", "misses", "restarts", "settles in one round", "settles in two",
		"a member that missed one claims what it had"} {
		if reached[name] == 0 {
			t.Errorf("in no group was this: %s", name)
		}
	}
	t.Log(reached)
}
