package assignortest

import (
	"fmt"
	"slices"
)

// handsOver checks that a cooperative plan sends no partition to a member that does not claim it while another one does, and
// that nothing else is withheld (KIP-429, G-501, G-564).
func (c *checker) handsOver(tr *trial) *fault {
	claimants := map[partition][]string{}
	for _, m := range tr.problem.Members {
		for _, claim := range m.Owned {
			p := partition{tr.problem.Topics[claim.Topic].Name, int(claim.Partition)}
			claimants[p] = append(claimants[p], m.ID)
		}
	}
	for p := range tr.partitions() {
		g, held := tr.owners[p], claimants[p]
		switch free := !c.cooperative || len(held) == 0 || slices.Contains(held, g.member); {
		case !free && !g.withheld:
			return &fault{check: handover, text: fmt.Sprintf("%v goes to %s while %s still owns it", p, g.member, held[0])}
		case free && g.withheld:
			return &fault{check: handover, text: fmt.Sprintf("%v is withheld from %s, and no other member has it to give up: "+
				"nobody would ever get it", p, g.member)}
		}
	}
	return nil
}
