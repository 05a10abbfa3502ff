package interop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/internal/vector"
)

// A question is a case: what both sides are asked.
type question struct {
	ID       string       `json:"id"`
	Assignor string       `json:"assignor"`
	In       vector.Input `json:"in"`
}

// A drawer draws one case. Most are of ordinary groups, some of what a group is not likely to be.
type drawer struct {
	*rand.Rand
	in       vector.Input
	topics   []string // that members may know of; not all of them exist
	versions []int16  // of the subscriptions that its members send
}

// draw draws the case of a seed and a number.
func draw(seed, number uint64) question {
	d := drawer{Rand: rand.New(rand.NewPCG(seed, number)), in: vector.Input{Topics: []vector.Topic{}, Members: []vector.Member{}}}
	q := question{
		ID:       fmt.Sprintf("%d/%d", seed, number),
		Assignor: pick(d, "range", "roundrobin", "sticky", "cooperative-sticky"),
	}
	d.versions = []int16{3}
	if d.chance(15) {
		d.versions = []int16{0, 1, 2, 3}
		if q.Assignor == "cooperative-sticky" {
			d.versions = d.versions[1:] // which of them could not say what it owns
		}
	}
	racks := pick(d, 0, 0, 1, 2, 3, 4)
	d.drawTopics(racks)
	d.drawMembers(racks)
	if strings.HasSuffix(q.Assignor, "sticky") && d.chance(75) {
		d.drawClaims()
	}
	q.In = d.in
	return q
}

func pick[T any](d drawer, from ...T) T { return from[d.IntN(len(from))] }

func (d drawer) chance(percent int) bool { return d.IntN(100) < percent }

// upTo draws a number from least to most; one in twenty times of another order of magnitude.
func (d drawer) upTo(least, most int) int {
	if d.chance(5) {
		most *= 5
	}
	return least + d.IntN(most-least+1)
}

// letters draws a name of some of these letters, most often a short one.
func (d drawer) letters(from string) string {
	letters := []rune(from)
	name := make([]rune, 1+d.IntN(1+d.IntN(5)))
	for i := range name {
		name[i] = letters[d.IntN(len(letters))]
	}
	return string(name)
}

// odd letters are those that Java and Go order differently among others: U+1F40E is below U+FF61 in UTF-16 only.
const (
	plain = "0123456789abcdefghijklmnopqrstuvwxyz"
	odd   = "aZ09._-~é\uE000\uFF61\uFFE0\U0001F40E\U0001F410"
)

// names draws so many different names in a style of their own.
func (d drawer) names(count int, styles ...func(i int) string) []string {
	style, taken := pick(d, styles...), map[string]bool{}
	names := make([]string, count)
	for i := range names {
		names[i] = style(i)
		for taken[names[i]] {
			names[i] += d.letters(plain)
		}
		taken[names[i]] = true
	}
	return names
}

// drawTopics draws the cluster, with so many racks.
func (d *drawer) drawTopics(racks int) {
	names := d.names(d.upTo(0, 8),
		func(i int) string { return fmt.Sprint("t", i) },
		func(int) string { return pick(*d, "pay.", "audit.", "orders.", "ev-", "ev_") + d.letters(plain) },
		func(int) string { return d.letters(plain) },
		func(int) string { return d.letters(odd) })
	alike, perfect, factor := d.chance(40), d.chance(15), 1+d.IntN(3)
	parts := d.upTo(0, 20)
	for _, name := range names {
		t := vector.Topic{Name: name, Parts: parts}
		if !alike || d.chance(10) {
			t.Parts = d.upTo(0, 20)
		}
		if d.chance(5) {
			t.Parts = 0
		}
		if racks > 0 && d.chance(95) {
			if t.Racks = d.replicas(t.Parts, racks, factor, perfect); alike && len(d.in.Topics) > 0 && d.chance(40) {
				before := d.in.Topics[len(d.in.Topics)-1] // placed alike too
				copy(t.Racks, before.Racks)
			}
		}
		d.in.Topics = append(d.in.Topics, t)
	}
	d.topics = append(names, "nope.0", "nope.1")
}

var rackNames = []string{"ra", "az-b", "rc", "Ä"}

// replicas draws the racks of partitions: all of them if placement is perfect, and otherwise so many, with doubles.
func (d drawer) replicas(parts, racks, factor int, perfect bool) [][]*string {
	list := make([][]*string, parts)
	for q := range list {
		for _, r := range d.Perm(racks) {
			if perfect || len(list[q]) < factor {
				list[q] = append(list[q], &rackNames[r])
			}
		}
		for !perfect && d.chance(8) && len(list[q]) > 0 {
			list[q][d.IntN(len(list[q]))] = pick(d, nil, &rackNames[0])
		}
		if !perfect && d.chance(1) {
			list[q] = []*string{}
		}
	}
	return list
}

// drawMembers draws the group.
func (d *drawer) drawMembers(racks int) {
	ids := d.names(d.upTo(0, 12),
		func(i int) string { return fmt.Sprint("m", i) },
		func(i int) string { return fmt.Sprintf("c-%s-%d", d.letters(plain), i) },
		func(i int) string { return fmt.Sprintf("%s.%d", d.letters(plain), i) },
		func(int) string { return d.letters(odd) })
	instances := d.names(len(ids),
		func(i int) string { return fmt.Sprint(pick(*d, "i", "I"), d.letters(plain), i) },
		func(int) string { return d.letters(odd) })
	static, inRacks := pick(*d, 0, 0, 50, 100), pick(*d, 0, 60, 100, 100)
	subs := d.subscriptions()
	for i, id := range ids {
		m := vector.Member{ID: id, Subs: subs()}
		if d.chance(static) {
			m.Instance = instances[i]
		}
		if racks > 0 && d.chance(inRacks) {
			m.Rack = rackNames[d.IntN(racks)]
			if d.chance(4) {
				m.Rack = "zz"
			}
		}
		if v := pick(*d, d.versions...); v != 3 {
			m.Version = &v
		}
		d.in.Members = append(d.in.Members, m)
	}
	d.Shuffle(len(ids), func(i, j int) { d.in.Members[i], d.in.Members[j] = d.in.Members[j], d.in.Members[i] })
}

// subscriptions draws how members subscribe: all alike, by class, or each as it likes.
func (d drawer) subscriptions() func() []string {
	some := func(percent int) []string {
		list := []string{}
		for _, n := range d.Perm(len(d.topics)) {
			if exists := n < len(d.topics)-2; exists && d.chance(percent) || !exists && d.chance(4) {
				list = append(list, d.topics[n])
			}
			if d.chance(1) && len(list) > 0 {
				list = append(list, list[0])
			}
		}
		return list
	}
	all, classes := some(100), [][]string{some(60), some(30), some(100), {}}
	switch d.IntN(4) {
	case 0:
		return func() []string { return all }
	case 1:
		return func() []string { return classes[d.IntN(d.IntN(len(classes))+1)] }
	case 2:
		return func() []string {
			if d.chance(80) {
				return all
			}
			return some(50)
		}
	}
	percent := 10 + d.IntN(80)
	return func() []string { return some(percent) }
}

// drawClaims has most members own what they may have come to own: in one or in several generations, when some topics were larger,
// when they subscribed to others, with some partitions twice.
func (d *drawer) drawClaims() {
	latest := int32(d.IntN(10))
	fresh, stale, ghosts, strange := d.IntN(30), pick(*d, 0, 0, 20, 50), pick(*d, 0, 0, 0, 15), pick(*d, 0, 3, 10)
	crooked, doubled := d.chance(30), pick(*d, 0, 0, 3, 20)
	for i := range d.in.Members {
		m := &d.in.Members[i]
		if d.chance(fresh) {
			continue
		}
		since := latest
		if d.chance(stale) {
			since = max(-1, latest-int32(d.IntN(3)))
		}
		m.Owned = map[string][]int32{}
		if m.Generation = &since; since < 0 && d.chance(50) {
			m.Generation = nil
		}
	}
	for _, t := range append(d.in.Topics, vector.Topic{Name: "nope.0", Parts: d.IntN(2)}) {
		if d.chance(ghosts) {
			t.Parts += 1 + d.IntN(4)
		}
		next := d.IntN(1 + len(d.in.Members))
		for q := range t.Parts {
			next += 1 + d.IntN(1+d.IntN(3))
			d.claim(t.Name, int32(q), next, strange)
			for d.chance(doubled) {
				d.claim(t.Name, int32(q), d.IntN(1+len(d.in.Members)), strange)
			}
		}
	}
	for _, m := range d.in.Members {
		for _, list := range m.Owned {
			if crooked {
				d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
		}
	}
}

// claim has the next member from one on that claims anything, and subscribes to the topic, if that does not look strange, claim
// a partition.
func (d drawer) claim(topic string, partition int32, from, strange int) {
	for i := range d.in.Members {
		m := d.in.Members[(from+i)%len(d.in.Members)]
		if m.Owned != nil && (d.chance(strange) || slices.Contains(m.Subs, topic)) {
			m.Owned[topic] = append(m.Owned[topic], partition)
			return
		}
	}
}
