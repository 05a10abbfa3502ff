package assignor

import (
	"cmp"
	"fmt"
	"slices"
)

// contested stands for the owner of a partition that several members claim with equal right.
const contested = -2

// takeClaims fills an empty plan with the members that owned the partitions before. A member that claims a partition did so
// if no other one claims it in the same or a later generation (G-556). Unlike Java's (G-557), the generations compared
// are those of the claims, and nothing is remembered from plan to plan.
//
// generations are of each member's claims. These may have doubles, and are read before those of the next member are asked for. It
// reports whether several members claim one partition.
func (pl *Plan) takeClaims(generations []int32, claims func(m int) []Claim) (rivals bool) {
	p := pl.problem
	latestFirst := make([]int, len(p.Members))
	for m := range latestFirst {
		latestFirst[m] = m
	}
	slices.SortStableFunc(latestFirst, func(a, b int) int { return cmp.Compare(generations[b], generations[a]) })
	disputes := false
	for _, m := range latestFirst {
		doubled, disputed, rival := 0, 0, 0
		for _, c := range claims(m) {
			owner := &pl.owner[p.base[c.Topic]+int(c.Partition)]
			switch {
			case *owner == nobody:
				*owner = int32(m)
			case *owner == contested: // a third one is not believed either
			case int(*owner) == m:
				doubled++
			case generations[*owner] == generations[m]:
				disputed, rival = disputed+1, int(*owner)
				*owner = contested
			default: // the owner is of a later generation
				rivals = true
			}
		}
		pl.notes.addDoubled(p.Members[m].ID, doubled)
		if disputed > 0 {
			pl.Note(Note{Member: p.Members[m].ID, Text: fmt.Sprintf(
				"it claims partitions that another member claims in the same generation, such as %q: neither is believed (partitions: %d)",
				p.Members[rival].ID, disputed)})
		}
		disputes = disputes || disputed > 0
	}
	if !disputes {
		return rivals
	}
	for i, owner := range pl.owner {
		if owner == contested {
			pl.owner[i] = nobody
		}
	}
	return true
}
