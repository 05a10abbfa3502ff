package assignortest

import (
	"fmt"
	"slices"

	"github.com/joinsync/joinsync/assignor"
)

// A promise is a check that not every assignor has to pass. Where a member sends user data that is not the assignor's own,
// none is held to: it may be a wish.
type promise struct {
	check
	broken func(tr *trial) string // says how; "" if it is kept
}

// Balanced promises that, where all members subscribe to the same topics, none has more than by partitions more than another.
func Balanced(by int) Option {
	return func(c *checker) {
		c.promises = append(c.promises, promise{
			balanced,
			func(tr *trial) string {
				if len(tr.problem.Classes) != 1 {
					return ""
				}
				return uneven(tr.loads(func(int) bool { return true }), by)
			},
		})
	}
}

// BalancedByTopic promises that no subscriber of a topic has more than by of its partitions more than another one.
func BalancedByTopic(by int) Option {
	return func(c *checker) {
		c.promises = append(c.promises, promise{
			balancedByTopic,
			func(tr *trial) string {
				for t, topic := range tr.problem.Topics {
					loads := tr.loads(func(of int) bool { return of == t })
					for id := range loads {
						if m := tr.member(id); !tr.problem.Subscribes(m, t) {
							delete(loads, id)
						}
					}
					if text := uneven(loads, by); text != "" {
						return fmt.Sprintf("of %s %s", topic.Name, text)
					}
				}
				return ""
			},
		})
	}
}

// Sticky promises that, where all members subscribe to the same topics and no racks are known, no more than extra partitions
// change their owner besides those that have to for the members to be within one partition of each other; and that in a
// group in which nothing changes nothing moves at all. Owner is who alone claims a partition in the latest generation in which
// anybody does (KIP-341).
//
// To know what they own, the members have to say it: by the cooperative protocol, or by a UserDataAssignor.
func Sticky(extra int) Option {
	return func(c *checker) {
		c.stays = true
		c.promises = append(c.promises, promise{
			stickiness,
			func(tr *trial) string { return c.moved(tr, extra) },
		})
	}
}

// loads counts each member's partitions of some topics.
func (tr *trial) loads(counts func(topic int) bool) map[string]int {
	loads := make(map[string]int, len(tr.problem.Members))
	for _, m := range tr.problem.Members {
		loads[m.ID] = 0
	}
	for p, t := range tr.partitions() {
		if counts(t) {
			loads[tr.owners[p].member]++
		}
	}
	return loads
}

func (tr *trial) member(id string) int {
	return slices.IndexFunc(tr.problem.Members, func(m assignor.Member) bool { return m.ID == id })
}

// uneven says which loads differ by more.
func uneven(loads map[string]int, by int) string {
	least, most := "", ""
	for id, load := range loads {
		if least == "" || load < loads[least] || load == loads[least] && id < least {
			least = id
		}
		if most == "" || load > loads[most] || load == loads[most] && id < most {
			most = id
		}
	}
	if len(loads) == 0 || loads[most]-loads[least] <= by {
		return ""
	}
	return fmt.Sprintf("%s has %d partitions and %s has %d: promised is a difference of %d", most, loads[most], least, loads[least], by)
}
