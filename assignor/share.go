package assignor

import (
	"context"
	"iter"

	"github.com/joinsync/joinsync/assignor/internal/flow"
)

// sharing makes a sticky plan. As far as balance, nearness and moves go, partitions with the same subscribers and the same
// racks are alike, but for their owner: they are one source of a flow to these subscribers. When the flow says how many
// each member gets of each source, the partitions are dealt out accordingly.
type sharing struct {
	plan     *Plan
	withhold bool    // what is taken from a member
	warm     []int32 // by partition: who is to have it if nobody has it, as far as there is a choice; nil if there is no such
	near     *nearby // nil if racks do not matter
	graph    flow.Graph

	blocks      []block
	firstSource []int32 // by block, and one more
	setOf       []int32 // by source: its set of racks

	position []int32 // by member: its place in the block under way, or anything
	sourceOf []int32 // by set of racks: its source in the block under way, or anything
	hands    []int32 // the members who get free partitions of the sources of the block under way
	next     []int   // by source: the one in hands who gets the next partition
	rounds   []int32 // by round of dealing: where those who take part begin in hands
}

// block is topics with the same subscribers.
type block struct {
	topics, members []int
}

// maxTopicArcs is up to how many subscriptions, counted by topic and member, each topic is a block, so that each by itself is
// spread as evenly as can be. In larger groups, and where all subscribe alike, dealing comes to about the same.
const maxTopicArcs = 1 << 13

// blocksOf divides the topics of a problem into blocks.
func blocksOf(p *Problem) (blocks []block, each bool) {
	arcs := 0
	for _, a := range p.audience {
		arcs += len(p.audiences[a])
	}
	each = len(p.audiences) > 1 && arcs <= maxTopicArcs
	if each {
		for t := range p.Topics {
			blocks = append(blocks, block{[]int{t}, p.Subscribers(t)})
		}
		return blocks, each
	}
	for _, members := range p.audiences {
		blocks = append(blocks, block{nil, members})
	}
	for t, a := range p.audience {
		blocks[a].topics = append(blocks[a].topics, t)
	}
	return blocks, each
}

// maxArcs bounds what racks may cost, as members say in which racks they are: with enough racks, no two partitions are alike.
const maxArcs = 1 << 24

// shareOut turns a plan of the previous owners into the plan. It can withhold what it takes from these, which is what
// WithholdMoving would where no two members claim the same partition, but that this costs nothing.
func (pl *Plan) shareOut(ctx context.Context, withhold bool) error {
	return (&sharing{plan: pl, withhold: withhold}).run(ctx)
}

func (s *sharing) run(ctx context.Context) error {
	pl, p := s.plan, s.plan.problem
	s.near, s.position = newNearby(p), make([]int32, len(p.Members))
	s.blocks, s.graph.Even = blocksOf(p)
	arcs := s.arcs()
	if arcs > maxArcs && s.near != nil {
		pl.Note(Note{Text: "the racks are too many to go by: this plan does without them"})
		s.near = nil
		arcs = s.arcs()
	}
	s.build(arcs)
	if err := s.graph.Solve(ctx); err != nil {
		return err
	}
	s.next = make([]int, len(s.graph.Supply))
	for b := range s.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.enter(b)
		s.takeOver(b)
		s.release(b)
		s.deal(b)
	}
	pl.list, pl.settled = nil, s.withhold
	return nil
}

// arcs counts the arcs that the graph will have.
func (s *sharing) arcs() int {
	count := 0
	for b := range s.blocks {
		count += len(s.blocks[b].members) * len(s.sets(b))
	}
	return count
}

// sets lists the sets of racks that the partitions of a block are in; one of no meaning if racks do not matter.
func (s *sharing) sets(b int) []int32 {
	if s.near == nil {
		return []int32{0}
	}
	var sets []int32
	seen := make(map[int32]bool)
	base := s.plan.problem.base
	for _, t := range s.blocks[b].topics {
		for _, set := range s.near.set[base[t]:base[t+1]] {
			if !seen[set] {
				seen[set] = true
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// build makes the graph. Numbers of four bytes are enough: without racks, there are fewer arcs than bytes of metadata, and there are
// no more units than a problem may have partitions.
func (s *sharing) build(arcs int) {
	g := &s.graph
	g.Members, g.First, g.To, g.Held = len(s.plan.problem.Members), []int32{0}, make([]int32, 0, arcs), make([]int32, arcs)
	s.firstSource = []int32{0}
	if s.warm != nil {
		g.Warm = make([]int32, arcs)
	}
	if s.near != nil {
		g.Far = make([]bool, 0, arcs)
		s.sourceOf = make([]int32, len(s.near.sets))
	}
	for b := range s.blocks {
		for _, set := range s.sets(b) {
			s.setOf = append(s.setOf, set)
			s.addSource(b, set)
		}
		s.firstSource = append(s.firstSource, int32(len(g.Supply)))
		s.count(b)
	}
}

func (s *sharing) addSource(b int, set int32) {
	g := &s.graph
	for _, m := range s.blocks[b].members {
		g.To = append(g.To, int32(m))
		if s.near != nil {
			g.Far = append(g.Far, s.near.far(int32(m), set))
		}
	}
	g.Supply = append(g.Supply, 0)
	g.First = append(g.First, int32(len(g.To)))
}

// enter prepares for going through the partitions of a block.
func (s *sharing) enter(b int) {
	for i, m := range s.blocks[b].members {
		s.position[m] = int32(i)
	}
	for n := s.firstSource[b]; n < s.firstSource[b+1] && s.near != nil; n++ {
		s.sourceOf[s.setOf[n]] = n
	}
}

// stretch is partitions in a row that belong to one source.
type stretch struct {
	source int32
	first  int     // of the partitions, as a position in Plan.owner
	owner  []int32 // of each
}

// stretches yields the partitions of a block.
func (s *sharing) stretches(b int) iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		base := s.plan.problem.base
		for _, t := range s.blocks[b].topics {
			for from, end := base[t], base[t+1]; from < end; {
				source, to := s.firstSource[b], end
				if s.near != nil {
					set := s.near.set[from]
					source = s.sourceOf[set]
					for to = from + 1; to < end && s.near.set[to] == set; {
						to++
					}
				}
				if !yield(stretch{source, from, s.plan.owner[from:to]}) {
					return
				}
				from = to
			}
		}
	}
}

// take takes a partition from the member that had it. It goes to another one, as that does not subscribe to it any more, or is
// to get less of its source.
func (s *sharing) take(partition int) {
	s.plan.owner[partition] = nobody
	if s.withhold {
		s.plan.withhold(partition)
	}
}

// count counts the partitions of each source, and how many of them its members had. Owners that do not subscribe any more
// had none.
func (s *sharing) count(b int) {
	g := &s.graph
	s.enter(b)
	for run := range s.stretches(b) {
		g.Supply[run.source] += int32(len(run.owner))
		held := g.Held[g.First[run.source]:]
		for i, m := range run.owner {
			if m == nobody {
				continue
			}
			if at := s.place(b, m); at >= 0 {
				held[at]++
			} else {
				s.take(run.first + i)
			}
		}
		s.countWarm(b, run)
	}
}

// place is a member's place in the block under way; -1 if it does not subscribe to that.
func (s *sharing) place(b int, m int32) int {
	members := s.blocks[b].members
	if at := int(s.position[m]); at < len(members) && members[at] == int(m) {
		return at
	}
	return -1
}
