package assignor_test

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf16"
)

// The oracles are the rules of Java's assignors, written down over names as plainly as they can be: slow, and without a
// thought in common with the code that they check.

// assignment is member, topic, partitions.
type assignment map[string]map[string][]int

func (a assignment) give(member, topic string, partition int) {
	a[member][topic] = append(a[member][topic], partition)
	slices.Sort(a[member][topic])
}

// javaOrder compares by UTF-16 code unit (G-533).
func javaOrder(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// inOrder is the members in the order of G-533, with what their version of the subscription cannot say taken away.
func (in input) inOrder() []inputMember {
	members := slices.Clone(in.Members)
	for i := range members {
		if members[i].Version != nil && *members[i].Version < 3 {
			members[i].Rack = ""
		}
	}
	slices.SortFunc(members, func(a, b inputMember) int {
		if a.Instance != "" && b.Instance != "" {
			return javaOrder(a.Instance, b.Instance)
		}
		if a.Instance != "" || b.Instance != "" {
			return -cmp.Compare(len(a.Instance), len(b.Instance))
		}
		return javaOrder(a.ID, b.ID)
	})
	return members
}

func (in input) empty() assignment {
	a := assignment{}
	for _, m := range in.Members {
		a[m.ID] = map[string][]int{}
	}
	return a
}

// roundRobinOracle is G-548.
func roundRobinOracle(in input) assignment {
	out, members, turn := in.empty(), in.inOrder(), 0
	topics := slices.Clone(in.Topics)
	slices.SortFunc(topics, func(a, b inputTopic) int { return javaOrder(a.Name, b.Name) })
	for _, t := range topics {
		if !slices.ContainsFunc(members, func(m inputMember) bool { return slices.Contains(m.Subs, t.Name) }) {
			continue
		}
		for q := range t.Parts {
			for !slices.Contains(members[turn%len(members)].Subs, t.Name) {
				turn++
			}
			out.give(members[turn%len(members)].ID, t.Name, q)
			turn++
		}
	}
	return out
}

// rangeTopic is what G-542 to G-546 need to know of a topic.
type rangeTopic struct {
	inputTopic
	subscribers []inputMember
	each, extra int
	got         map[string]int
	free        []int
}

// rangeOracle is G-537 with G-541 to G-547.
func rangeOracle(in input) assignment {
	out := in.empty()
	var topics []*rangeTopic
	for _, t := range in.Topics {
		r := &rangeTopic{inputTopic: t, got: map[string]int{}}
		for _, m := range in.inOrder() {
			if slices.Contains(m.Subs, t.Name) {
				r.subscribers = append(r.subscribers, m)
			}
		}
		if t.Parts == 0 || len(r.subscribers) == 0 {
			continue
		}
		r.each, r.extra = t.Parts/len(r.subscribers), t.Parts%len(r.subscribers)
		for q := range t.Parts {
			r.free = append(r.free, q)
		}
		topics = append(topics, r)
	}
	if slices.ContainsFunc(topics, (*rangeTopic).gains) {
		matchRacks(out, topics)
	}
	for _, t := range topics {
		for _, m := range t.subscribers {
			t.giveFirst(out, m, func(int) bool { return true })
		}
	}
	return out
}

func matchRacks(out assignment, topics []*rangeTopic) {
	for len(topics) > 0 {
		alike, others := []*rangeTopic{}, []*rangeTopic{}
		for _, t := range topics {
			if t.alike(topics[0]) {
				alike = append(alike, t)
			} else {
				others = append(others, t)
			}
		}
		topics = others
		if len(alike) > 1 {
			matchTogether(out, alike)
		} else if alike[0].gains() {
			for _, m := range alike[0].subscribers {
				alike[0].giveFirst(out, m, func(q int) bool { return alike[0].near(m, q) })
			}
		}
	}
}

func matchTogether(out assignment, alike []*rangeTopic) {
	for q := range alike[0].knownPartitions() {
		for _, m := range alike[0].subscribers {
			may := true
			for _, t := range alike {
				may = may && t.near(m, q) && t.left(m) > 0
			}
			if may {
				for _, t := range alike {
					t.give(out, m, q)
				}
				break
			}
		}
	}
}

// racks is a partition's set of racks.
func (t *rangeTopic) racks(partition int) map[string]bool {
	set := map[string]bool{}
	if t.Racks != nil {
		for _, rack := range t.Racks[partition] {
			if rack != nil {
				set[*rack] = true
			}
		}
	}
	return set
}

func (t *rangeTopic) near(m inputMember, partition int) bool {
	return m.Rack == "" || t.racks(partition)[m.Rack]
}

// gains is G-541.
func (t *rangeTopic) gains() bool {
	all, meets, differ := map[string]bool{}, false, false
	for q := range t.Parts {
		maps.Copy(all, t.racks(q))
	}
	for _, m := range t.subscribers {
		meets = meets || all[m.Rack]
	}
	for q := range t.Parts {
		differ = differ || !maps.Equal(all, t.racks(q))
	}
	return meets && differ
}

// knownPartitions is the partition count of G-543, with the quirk of G-547.
func (t *rangeTopic) knownPartitions() int {
	if !slices.ContainsFunc(t.subscribers, func(m inputMember) bool { return m.Rack != "" }) {
		return 0
	}
	return t.Parts
}

func (t *rangeTopic) alike(o *rangeTopic) bool {
	return t.knownPartitions() == o.knownPartitions() && slices.EqualFunc(t.subscribers, o.subscribers,
		func(a, b inputMember) bool { return a.ID == b.ID && a.Rack == b.Rack })
}

// left is G-542.
func (t *rangeTopic) left(m inputMember) int {
	return max(0, t.each+min(t.extra, 1)-t.got[m.ID])
}

func (t *rangeTopic) give(out assignment, m inputMember, partition int) {
	out.give(m.ID, t.Name, partition)
	t.free = slices.DeleteFunc(t.free, func(q int) bool { return q == partition })
	t.got[m.ID]++
	if t.got[m.ID] > t.each {
		t.extra--
	}
}

// giveFirst gives a member the first free partitions that it may have, as many as it has left.
func (t *rangeTopic) giveFirst(out assignment, m inputMember, may func(partition int) bool) {
	left := t.left(m)
	for _, q := range slices.Clone(t.free) {
		if left > 0 && may(q) {
			t.give(out, m, q)
			left--
		}
	}
}
