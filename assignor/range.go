package assignor

import "context"

// Range gives each member a run of consecutive partitions of every topic it subscribes to, as Java's RangeAssignor does,
// partition for partition (G-537): with P partitions and M subscribers, in the order of Problem.Members, each gets P/M, and
// the first P mod M get one more. Topics with the same subscribers and partition counts are so divided alike, which joins
// of topics rely on.
//
// Where members and replicas have racks, a member is first given what it can read in its own rack (KIP-881), within the
// same numbers per member.
type Range struct{}

// Name returns "range".
func (Range) Name() string { return "range" }

// Supports returns Eager.
func (Range) Supports() RebalanceProtocol { return Eager }

// Assign divides topic after topic.
func (Range) Assign(ctx context.Context, p *Problem, plan *Plan) error {
	if racks := newRackView(p); racks != nil && racks.needed() {
		return assignNearby(ctx, p, plan, racks)
	}
	var share shares
	for t := range p.Topics {
		if err := ctx.Err(); err != nil {
			return err
		}
		share.divide(p.Topics[t].Partitions, len(p.Subscribers(t)))
		assignRest(p, plan, t, &share)
	}
	return nil
}

// shares is how many partitions of a topic each of its subscribers may still get.
type shares struct {
	each  int   // what everybody gets
	extra int   // how many subscribers may still get one more
	taken []int // by position in the list of subscribers
}

// divide starts again with so many partitions and subscribers.
func (s *shares) divide(partitions, subscribers int) {
	s.each, s.extra = partitions/subscribers, partitions%subscribers
	if cap(s.taken) < subscribers {
		s.taken = make([]int, subscribers)
	}
	s.taken = s.taken[:subscribers]
	clear(s.taken)
}

// left is how many more the subscriber may get now (G-542): one of the extra ones counts for whoever asks, until the
// last one is gone.
func (s *shares) left(subscriber int) int {
	left := s.each - s.taken[subscriber]
	if s.extra > 0 {
		left++
	}
	return max(left, 0)
}

// take notes that a subscriber got n more, at most what it had left.
func (s *shares) take(subscriber, n int) {
	s.taken[subscriber] += n
	if s.taken[subscriber] > s.each {
		s.extra--
	}
}

// assignRest gives the partitions of a topic that nobody has yet to its subscribers, in order, each as many as it has
// left (G-545).
func assignRest(p *Problem, plan *Plan, topic int, share *shares) {
	owner := plan.owner[p.base[topic]:p.base[topic+1]]
	next := 0
	for i, m := range p.Subscribers(topic) {
		for left := share.left(i); left > 0; {
			for next < len(owner) && owner[next] != nobody {
				next++
			}
			if next == len(owner) {
				return
			}
			from := next
			for next < len(owner) && next-from < left && owner[next] == nobody {
				next++
			}
			plan.AssignRange(m, topic, from, next)
			share.take(i, next-from)
			left -= next - from
		}
	}
}
