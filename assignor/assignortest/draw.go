package assignortest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/joinsync/joinsync/internal/vector"
)

// unknown is a topic that no cluster has.
const unknown = "unknown"

// rarely is what is true now and then.
var rarely = []bool{false, false, false, false, false, false, true}

var racks = []string{"", "a", "b", "c"}

// drawnMember is a member by numbers.
type drawnMember struct {
	leftOut    []bool // topics, and in the end the unknown one
	generation int32
	claims     []drawnClaim
	static     bool
	rack       int
	lag        int // how old the version of its subscription is
	doubled    bool
	lost       bool // it subscribes to nothing
	garbage    []byte
}

type drawnClaim struct{ topic, partition int }

// some generates lists of one of the given lengths. Rapid's own are short and get longer rarely.
func some[V any](of *rapid.Generator[V], lengths ...int) *rapid.Generator[[]V] {
	return rapid.Custom(func(t *rapid.T) []V {
		n := rapid.SampledFrom(lengths).Draw(t, "length")
		return rapid.SliceOfN(of, n, n).Draw(t, "list")
	})
}

var claimGen = rapid.Custom(func(t *rapid.T) drawnClaim {
	return drawnClaim{
		topic:     rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3, 4}).Draw(t, "topic"),
		partition: rapid.SampledFrom([]int{-1, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 8}).Draw(t, "partition"),
	}
})

var memberGen = rapid.Custom(func(t *rapid.T) drawnMember {
	return drawnMember{
		leftOut:    rapid.SliceOfN(rapid.Bool(), 5, 5).Draw(t, "left out"),
		generation: rapid.SampledFrom([]int32{-1, 0, 1, 1, 2}).Draw(t, "generation"),
		claims:     some(claimGen, 0, 1, 2, 4, 6, 8).Draw(t, "claims"),
		static:     rapid.Bool().Draw(t, "static"),
		rack:       rapid.SampledFrom([]int{0, 1, 2, 3}).Draw(t, "rack"),
		lag:        rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "lag"),
		doubled:    rapid.SampledFrom(rarely).Draw(t, "doubled"),
		lost:       rapid.SampledFrom(rarely).Draw(t, "no subscription"),
		garbage:    rapid.SampledFrom(garbage).Draw(t, "user data"),
	}
})

// garbage is user data that no assignor sends: a byte, a list longer than the bytes, one that is cut, claims of partition -1 and of
// one that is far too high, and -1.
var garbage = [][]byte{
	nil, nil, nil,
	{0xff}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 1, 0, 2, 't', '0', 0, 0},
	{0, 0, 0, 1, 0, 2, 't', '0', 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 9},
	{0xff, 0xff, 0xff, 0xff},
}

// drawInput draws a group and a cluster, from the empty ones up.
func drawInput(t *rapid.T) *vector.Input {
	parts := some(rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 7}), 0, 1, 1, 2, 2, 3, 4).Draw(t, "partitions")
	members := some(memberGen, 0, 1, 2, 2, 3, 3, 4, 5, 6).Draw(t, "members")
	differ := rapid.Bool().Draw(t, "they differ")
	liars := rapid.Bool().Draw(t, "they lie")
	rivals := liars && rapid.Bool().Draw(t, "about the same")
	babble := rapid.SampledFrom(rarely).Draw(t, "user data of no assignor")
	racked := rapid.Bool().Draw(t, "racks")

	in := &vector.Input{}
	for n, count := range parts {
		in.Topics = append(in.Topics, topic(n, count, racked))
	}
	taken := map[drawnClaim]bool{}
	for i, d := range members {
		in.Members = append(in.Members, d.member(i, in.Topics, differ, racked))
		for n := range d.claims {
			if rivals {
				d.claims[n] = drawnClaim{partition: d.claims[n].partition & 1}
			}
		}
		d.claim(&in.Members[i], in.Topics, taken, liars)
		if babble {
			in.Members[i].UserData = d.garbage
		}
	}
	return in
}

// topic is the topic of a number; where there are racks, each partition has a replica in one or two of them.
func topic(n, partitions int, racked bool) vector.Topic {
	t := vector.Topic{Name: fmt.Sprintf("t%d", n), Parts: partitions}
	for q := range partitions {
		if racked {
			t.Racks = append(t.Racks, []*string{&racks[1+(n+q)%3], &racks[1+q%3]})
		}
	}
	return t
}

func (d *drawnMember) member(i int, topics []vector.Topic, differ, racked bool) vector.Member {
	m := vector.Member{ID: fmt.Sprintf("m%d", i), Subs: []string{}}
	for n, t := range topics {
		if !differ || !d.leftOut[n] {
			m.Subs = append(m.Subs, t.Name)
		}
	}
	if differ && !d.leftOut[4] {
		m.Subs = append(m.Subs, unknown)
	}
	if d.doubled {
		m.Subs = append(m.Subs, m.Subs...)
	}
	if differ && d.lost {
		m.Subs = []string{}
	}
	if d.static {
		m.Instance = fmt.Sprintf("i%d", 9-i) // another order than that of the ids
	}
	if racked {
		m.Rack = racks[d.rack]
	}
	if d.lag > 0 {
		version := int16(3 - d.lag)
		m.Version = &version
	}
	return m
}

// claim adds what the member claims. Who does not lie claims existing partitions only, and none that another one claims.
func (d *drawnMember) claim(m *vector.Member, topics []vector.Topic, taken map[drawnClaim]bool, liars bool) {
	if d.generation >= 0 {
		m.Generation = &d.generation
	}
	for _, claim := range d.claims {
		name := unknown
		if claim.topic < len(topics) {
			name = topics[claim.topic].Name
		}
		exists := name != unknown && claim.partition >= 0 && claim.partition < topics[claim.topic].Parts
		if !liars && (!exists || taken[claim]) {
			continue
		}
		taken[claim] = true
		if m.Owned == nil {
			m.Owned = map[string][]int32{}
		}
		m.Owned[name] = append(m.Owned[name], int32(claim.partition))
	}
}
