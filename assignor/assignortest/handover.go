package assignortest

import (
	"fmt"
	"slices"
)

// handsOver checks that a cooperative plan sends no partition to a member that does not claim it while another one does (KIP-429,
// G-501, G-564).
func (c *checker) handsOver(tr *trial) *fault {
	if !c.cooperative {
		return nil
	}
	claimants := map[partition][]string{}
	for _, m := range tr.problem.Members {
		for _, claim := range m.Owned {
			p := partition{tr.problem.Topics[claim.Topic].Name, int(claim.Partition)}
			claimants[p] = append(claimants[p], m.ID)
		}
	}
	for p := range tr.partitions() {
		g, held := tr.owners[p], claimants[p]
		if len(held) > 0 && !slices.Contains(held, g.member) && !g.withheld {
			return &fault{check: handover, text: fmt.Sprintf("%v goes to %s while %s still owns it", p, g.member, held[0])}
		}
	}
	return nil
}
