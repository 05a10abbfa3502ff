package assignor

import (
	"context"
	"slices"
)

// seconding chooses the seconds of a plan's partitions.
//
// It goes by batches: what one member owns in topics with the same subscribers. The candidates of a batch are these, without the
// owner and, if any are left then, without those in its rack. Each gets an equal share and, as many as the division leaves over,
// one more: an extra. Candidates keep what they have within that; what is open goes to those who lack some; the extras to those
// with the least work, and in the end from one to another as long as that one has two partitions less work. What is new to its
// owner stays with a candidate who has its state, within the share or not.
//
// Made again of its own outcome, it is the same. In the next round of a cooperative group the partitions that have moved are still
// new to their owners, and the others come before them: all keep what they have. In the rebalance after that nothing is new, so
// that seconds beyond the shares go elsewhere; and from then on all keep what they have, as the shares are the same, and no extra
// moves. So seconds come to rest with the owners, or one rebalance later.
//
// Where all subscribe alike and no racks are told, there is one batch for each member. If in the end s had over two partitions
// more work than t, then t would have an extra of each batch of which s has one, but for their own: one extra less than s at most.
// What they do besides differs by one at most: what they own does, and who owns one more has as many in shares, or one less.
type seconding struct {
	second []int32 // by partition; nobody where it is open
	was    []int32 // by partition: its second before this plan
	before []int32 // by partition: its owner before this plan

	audiences []audience
	rack      []int32 // by member; noRack if it has none
	owned     []int32 // by member: how many partitions it owns
	work      []int32 // by member: how many it owns or follows, as far as that is clear

	number int32   // of the audience under way, from 1
	in     []int32 // by member: the last audience gone through that it is in
	inRack []int32 // by rack: how many of the audience under way are in it
	least  int32   // the least work in the audience under way, when it was entered
	got    []int32 // by member: how many it has of the batch under way; else 0
	hands  []int32 // who is to get some more of it
	room   []int32 // by member: how many of these are still to come; else 0
	idle   *idle   // the members of the audience under way; nil until somebody needs it
}

// audience is topics with the same subscribers, at least two.
type audience struct {
	members    []int
	partitions []int32 // positions in Plan.owner, owner after owner in the order of members
	end        []int32 // by owner: where its partitions end
}

// batch is what one member owns of an audience.
type batch struct {
	owner      int32
	members    []int
	partitions []int32
	apart      bool  // those in the owner's rack are no candidates
	share      int32 // what each candidate gets
	extras     int32 // how many get one more
}

// maxPasses is how often extras are moved. Each time the sum of the squares of work gets less; a dozen times do for a thousand
// topics that each have subscribers of their own. What is left over waits for the next rebalance.
const maxPasses = 100

// second turns a plan of the seconds before another plan into that of the seconds of that plan, which has owners for all.
func (pl *Plan) second(ctx context.Context, plan *Plan, before []int32) error {
	s := newSeconding(pl, plan, before)
	err := s.each(ctx, s.keep)
	if err == nil {
		err = s.each(ctx, s.fill)
	}
	copy(s.work, s.owned)
	for _, m := range s.second {
		if m != nobody {
			s.work[m]++
		}
	}
	again := true
	for pass := 0; again && pass < maxPasses && err == nil; pass++ {
		again = false
		err = s.each(ctx, func(b batch) { again = s.even(b) || again })
	}
	pl.list = nil
	return err
}

func newSeconding(pl, plan *Plan, before []int32) *seconding {
	p := pl.problem
	members := len(p.Members)
	s := &seconding{
		second: pl.owner, was: slices.Clone(pl.owner), before: before,
		rack: make([]int32, members), owned: make([]int32, members),
		in: make([]int32, members), got: make([]int32, members), room: make([]int32, members),
	}
	for i, m := range plan.owner {
		s.second[i] = nobody
		s.owned[m]++
	}
	s.work = slices.Clone(s.owned)
	racks := map[string]int32{"": noRack}
	for m := range p.Members {
		rack, known := racks[p.Members[m].Rack]
		if !known {
			rack = int32(len(racks) - 1)
			racks[p.Members[m].Rack] = rack
		}
		s.rack[m] = rack
	}
	s.inRack = make([]int32, len(racks))
	topics := make([][]int, len(p.audiences))
	for t, a := range p.audience {
		topics[a] = append(topics[a], t)
	}
	place := make([]int32, members)
	for a, members := range p.audiences {
		if len(members) > 1 {
			s.audiences = append(s.audiences, newAudience(plan, topics[a], members, place))
		}
	}
	return s
}

// newAudience sorts the partitions of topics by owner. Place is used for work.
func newAudience(plan *Plan, topics, members []int, place []int32) audience {
	base := plan.problem.base
	a := audience{members: members, end: make([]int32, len(members))}
	for i, m := range members {
		place[m] = int32(i)
	}
	count := 0
	for _, t := range topics {
		count += base[t+1] - base[t]
		for _, m := range plan.owner[base[t]:base[t+1]] {
			a.end[place[m]]++
		}
	}
	begin := int32(0)
	for i, count := range a.end {
		a.end[i] = begin
		begin += count
	}
	a.partitions = make([]int32, count)
	for _, t := range topics {
		for i := base[t]; i < base[t+1]; i++ {
			end := &a.end[place[plan.owner[i]]]
			a.partitions[*end] = int32(i)
			*end++
		}
	}
	return a
}

// each does something with each batch, audience after audience.
func (s *seconding) each(ctx context.Context, do func(batch)) error {
	for n, a := range s.audiences {
		s.enter(int32(n+1), a.members)
		begin := int32(0)
		for i, m := range a.members {
			if err := ctx.Err(); err != nil {
				return err
			}
			if a.end[i] > begin {
				do(s.batch(int32(m), a.members, a.partitions[begin:a.end[i]]))
			}
			begin = a.end[i]
		}
	}
	return nil
}

// enter prepares for the batches of an audience.
func (s *seconding) enter(number int32, members []int) {
	s.number, s.least, s.idle = number, s.work[members[0]], nil
	for _, m := range members {
		s.in[m] = number
		s.least = min(s.least, s.work[m])
		if rack := s.rack[m]; rack != noRack {
			s.inRack[rack] = 0
		}
	}
	for _, m := range members {
		if rack := s.rack[m]; rack != noRack {
			s.inRack[rack]++
		}
	}
}

func (s *seconding) batch(owner int32, members []int, partitions []int32) batch {
	b := batch{owner: owner, members: members, partitions: partitions}
	candidates := len(members) - 1
	if rack := s.rack[owner]; rack != noRack && int(s.inRack[rack]) < len(members) {
		b.apart, candidates = true, len(members)-int(s.inRack[rack])
	}
	b.share, b.extras = int32(len(partitions)/candidates), int32(len(partitions)%candidates)
	return b
}

// may reports whether a member is a candidate.
func (s *seconding) may(b batch, m int32) bool {
	return s.in[m] == s.number && m != b.owner && !(b.apart && s.rack[m] == s.rack[b.owner])
}

// keep lets candidates keep what they are second of and then, of what is left open, what they owned. What is new to its owner
// comes after the rest, as it need not be within the shares.
func (s *seconding) keep(b batch) {
	if b.share > 0 {
		for _, m := range b.members {
			if s.may(b, int32(m)) {
				s.work[m] += b.share
			}
		}
	}
	for _, isNew := range []bool{false, true} {
		for _, had := range [][]int32{s.was, s.before} {
			for _, i := range b.partitions {
				if m := had[i]; s.isNew(b, i) == isNew && s.canTake(b, i, m) && (s.got[m] < b.share || s.got[m] == b.share && b.extras > 0) {
					s.take(&b, i, m)
				}
			}
		}
	}
	for _, had := range [][]int32{s.was, s.before} {
		for _, i := range b.partitions {
			if m := had[i]; s.isNew(b, i) && s.canTake(b, i, m) {
				s.take(&b, i, m)
			}
		}
	}
	s.leave(b)
}

// isNew reports whether a partition is new to its owner.
func (s *seconding) isNew(b batch, i int32) bool { return s.before[i] != b.owner }

// canTake reports whether a partition is open, and a member may be its second.
func (s *seconding) canTake(b batch, i, m int32) bool {
	return s.second[i] == nobody && m != nobody && s.may(b, m)
}

func (s *seconding) take(b *batch, i, m int32) {
	s.second[i] = m
	if s.got[m]++; s.got[m] > b.share {
		s.work[m]++
		b.extras--
	}
}

// count counts what candidates have of a batch, and takes off the extras that they have; leave forgets it.
func (s *seconding) count(b *batch) (open int) {
	for _, i := range b.partitions {
		m := s.second[i]
		if m == nobody {
			open++
		} else if s.got[m]++; s.got[m] > b.share {
			b.extras--
		}
	}
	return open
}

func (s *seconding) leave(b batch) {
	for _, i := range b.partitions {
		if m := s.second[i]; m != nobody {
			s.got[m] = 0
		}
	}
}

// fill gives what is open to those who lack some of their share, and the extras to those who have the least work.
func (s *seconding) fill(b batch) {
	if s.count(&b) > 0 {
		s.raiseHands(b)
		at := 0
		for _, i := range b.partitions {
			if s.second[i] != nobody {
				continue
			}
			for s.room[s.hands[at]] == 0 {
				at = (at + 1) % len(s.hands)
			}
			s.second[i] = s.hands[at]
			s.room[s.hands[at]]--
			at = (at + 1) % len(s.hands)
		}
		for _, m := range s.hands { // some may have raised them in vain
			s.room[m] = 0
		}
	}
	s.leave(b)
}

// raiseHands lists who is to get some of what is open in a batch.
func (s *seconding) raiseHands(b batch) {
	s.hands = s.hands[:0]
	if b.share > 0 {
		for _, member := range b.members {
			m := int32(member)
			if s.may(b, m) && s.got[m] < b.share {
				s.room[m] = b.share - s.got[m]
				s.hands = append(s.hands, m)
			}
		}
	}
	if b.extras <= 0 {
		return
	}
	if s.idle == nil {
		s.idle = newIdle(b.members, func(m int32) int64 { return int64(s.work[m])<<32 | int64(s.owned[m]) })
	}
	for b.extras > 0 {
		m := s.idle.next()
		if !s.may(b, m) || s.got[m] > b.share {
			continue
		}
		b.extras--
		s.work[m]++
		if s.room[m]++; s.room[m] == 1 {
			s.hands = append(s.hands, m)
		}
	}
	s.idle.restore()
}

// even takes partitions from those who have an extra, and gives them to those who have none and at least two partitions less
// work, but for those of which nobody else would have the state. It reports whether there were any.
func (s *seconding) even(b batch) (moved bool) {
	most := int32(0)
	for _, i := range b.partitions {
		most = max(most, s.work[s.second[i]])
	}
	if most < s.least+2 {
		return false
	}
	s.count(&b)
	defer s.leave(b)
	for {
		which, to := int32(nobody), int32(nobody)
		for _, i := range b.partitions {
			m := s.second[i]
			last := s.isNew(b, i) && (m == s.was[i] || m == s.before[i]) // who has its state
			if s.got[m] > b.share && !last && (which == nobody || s.work[m] > s.work[s.second[which]]) {
				which = i
			}
		}
		if which == nobody {
			return moved
		}
		for _, member := range b.members {
			m := int32(member)
			if s.may(b, m) && s.got[m] <= b.share && (to == nobody || s.work[m] < s.work[to]) {
				to = m
			}
		}
		from := s.second[which]
		if to == nobody || s.work[from] < s.work[to]+2 {
			return moved
		}
		s.second[which], moved = to, true
		s.got[from]--
		s.got[to]++
		s.work[from]--
		s.work[to]++
	}
}
