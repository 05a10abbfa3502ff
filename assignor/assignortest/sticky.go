package assignortest

import (
	"bytes"
	"fmt"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

// moved says whether more partitions have changed their owner than had to.
func (c *checker) moved(tr *trial, extra int) string {
	if len(tr.problem.Classes) != 1 || len(tr.problem.Racks) > 0 {
		return ""
	}
	text := c.movedFrom(tr, c.previous(tr.in, false), extra)
	if text != "" && c.cooperative && c.tells() {
		return c.movedFrom(tr, c.previous(tr.in, true), extra) // if they tell what they own in their user data
	}
	return text
}

func (c *checker) movedFrom(tr *trial, previous map[partition]string, extra int) string {
	had := map[string]int{}
	moves, example := 0, ""
	for p, t := range tr.partitions() {
		before := previous[p]
		if before == "" || !tr.problem.Subscribes(tr.member(before), t) {
			continue
		}
		had[before]++
		if now := tr.owners[p].member; now != before {
			moves++
			example = fmt.Sprintf("%v from %s to %s", p, before, now)
		}
	}
	if need := needed(had, len(tr.owners), len(tr.problem.Members)); moves > need+extra {
		return fmt.Sprintf("%d partition(s) move, such as %s, and %d have to", moves, example, need)
	}
	return ""
}

// tells reports whether user data may tell what a member owns: it is not the same whatever that is, as that of an assignor is which
// tells a capacity or a zone only.
func (c *checker) tells() (tells bool) {
	teller, ok := c.a.(assignor.UserDataAssignor)
	if !ok {
		return false
	}
	defer func() {
		if recover() != nil {
			tells = true // that it panics is another check's to say
		}
	}()
	assigned := func(n int32) []byte {
		owned := []protocol.TopicPartitions{{Topic: "t0", Partitions: []int32{n}}}
		return teller.UserData(assignor.Assignment{Generation: n, Partitions: owned, UserData: []byte{byte(n)}})
	}
	return !bytes.Equal(assigned(1), assigned(2))
}

// needed is how many partitions have to change their owner for an even plan: what a member has above its share, less one
// for as many members as may have one more.
func needed(had map[string]int, partitions, members int) int {
	share, more := partitions/members, partitions%members
	moves, above := 0, 0
	for _, n := range had {
		if n > share {
			moves += n - share
			above++
		}
	}
	return moves - min(more, above)
}

// previous is the valid owners of before, as far as members can tell with the versions that they send. Cooperative ones tell it in
// the subscription, and some in their user data too.
func (c *checker) previous(in *vector.Input, inUserData bool) map[partition]string {
	owners := map[partition]string{}
	latest := map[partition]int32{}
	teller := c.tells()
	for i := range in.Members {
		m := &in.Members[i]
		version, since := protocol.ConsumerVersion, m.Since()
		if m.Version != nil {
			version = *m.Version
		}
		if version < 1 && c.cooperative && !inUserData {
			continue // it cannot tell
		}
		if version < 2 && !teller {
			since = -1
		}
		for topic, list := range m.Owned {
			for _, q := range list {
				p := partition{topic, int(q)}
				switch before, claimed := latest[p]; {
				case !claimed || since > before:
					owners[p], latest[p] = m.ID, since
				case since == before && owners[p] != m.ID:
					owners[p] = ""
				}
			}
		}
	}
	return owners
}
