package assignor

import (
	"fmt"
	"slices"
)

// WithholdMoving keeps back, for this round, each partition that is planned for a member that does not claim it while another
// member does (KIP-429, G-564): that one is still at work on it. It stays in the plan, with its owner, but is not sent to
// it. It is the last that a cooperative assignor does.
func (pl *Plan) WithholdMoving() {
	p := pl.problem
	pl.withheld, pl.list, pl.settled = nil, nil, true
	for m := range p.Members {
		for _, c := range p.Members[m].Owned {
			if i := p.base[c.Topic] + int(c.Partition); int(pl.owner[i]) != m && pl.owner[i] != nobody {
				pl.withhold(i)
			}
		}
	}
	if pl.withheld == nil {
		return
	}
	for m := range p.Members {
		for _, c := range p.Members[m].Owned { // several may claim one partition
			if i := p.base[c.Topic] + int(c.Partition); pl.isWithheld(i) && int(pl.owner[i]) == m {
				pl.withheld[i/64] &^= 1 << (i % 64)
			}
		}
	}
}

// checkTaken finds a partition that is sent to a member that does not claim it while another one does.
func (pl *Plan) checkTaken() error {
	p := pl.problem
	for m := range p.Members {
		for _, c := range p.Members[m].Owned {
			i := p.base[c.Topic] + int(c.Partition)
			to := int(pl.owner[i])
			if to == m || pl.isWithheld(i) {
				continue
			}
			if _, claims := slices.BinarySearchFunc(p.Members[to].Owned, c, compareClaims); !claims {
				return fmt.Errorf("%w: partition %d of topic %q to %q, of %q: call Plan.WithholdMoving last",
					ErrTaken, c.Partition, p.Topics[c.Topic].Name, p.Members[to].ID, p.Members[m].ID)
			}
		}
	}
	return nil
}

func (pl *Plan) withhold(i int) {
	if pl.withheld == nil {
		pl.withheld = make([]uint64, len(pl.owner)/64+1)
	}
	pl.withheld[i/64] |= 1 << (i % 64)
}

// Withheld reports whether a partition is kept back from its owner for this round.
func (pl *Plan) Withheld(topic, partition int) bool {
	return pl.isWithheld(pl.problem.base[topic] + partition)
}

func (pl *Plan) isWithheld(i int) bool {
	return pl.withheld != nil && pl.withheld[i/64]>>(i%64)&1 == 1
}
