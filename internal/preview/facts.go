package preview

import (
	"math"
	"slices"

	"github.com/joinsync/joinsync/assignor"
)

// Facts judge a plan. The first seven are those of the vectors.
type Facts struct {
	Assigned   int `json:"n"`
	Min        int `json:"min"` // partitions of a member that subscribes to some topic that exists
	Max        int `json:"max"`
	Squares    int `json:"sq"`      // the sum of the squares of the members' partitions
	Previous   int `json:"prev"`    // partitions that had a valid owner before
	Moved      int `json:"moved"`   // of those, the ones that another member gets
	Mismatches int `json:"rackMis"` // partitions whose member has a rack that none of their replicas is in
	Withheld   int `json:"withheld"`
}

// MemberFacts are what becomes of one member.
type MemberFacts struct {
	ID         string `json:"id"`
	Rack       string `json:"rack,omitempty"` // as the leader sees it
	Before     int    `json:"before"`         // partitions that it is the valid owner of
	After      int    `json:"after"`
	In         int    `json:"in"` // partitions that it did not own before
	Out        int    `json:"out"`
	Mismatches int    `json:"rackMis"`
	Lag        int64  `json:"lag,omitempty"` // of all its partitions, where that is known
}

// judge counts.
func (s *Solved) judge() (Facts, []MemberFacts) {
	p := s.plan.Problem()
	var facts Facts
	members := make([]MemberFacts, len(p.Members))
	for m := range p.Members {
		members[m].ID, members[m].Rack = p.Members[m].ID, p.Members[m].Rack
	}
	before, lags := newOwners(s.in, p), lags(s.in)
	for t, topic := range p.Topics {
		lag := lags[topic.Name]
		for q := range topic.Partitions {
			owner := s.plan.Owner(t, q)
			m := &members[owner]
			m.After++
			if lag != nil {
				m.Lag = min(m.Lag, math.MaxInt64-lag[q]) + lag[q]
			}
			if s.plan.Withheld(t, q) {
				facts.Withheld++
			}
			if m.Rack != "" && !near(p, topic, q, m.Rack) {
				m.Mismatches++
			}
			was := before.of(t, q)
			if was != owner {
				m.In++
			}
			if was >= 0 {
				members[was].Before++
				if was != owner {
					members[was].Out++
				}
			}
		}
	}
	facts.sum(p, members)
	return facts, members
}

// near reports whether a partition has a replica in a rack.
func near(p *assignor.Problem, t assignor.Topic, partition int, rack string) bool {
	return t.Replicas != nil && slices.ContainsFunc(t.Replicas[partition], func(broker int32) bool { return p.Racks[broker] == rack })
}

// sum adds the members up.
func (f *Facts) sum(p *assignor.Problem, members []MemberFacts) {
	f.Min = math.MaxInt
	for m, member := range members {
		f.Assigned += member.After
		f.Squares += member.After * member.After
		f.Previous += member.Before
		f.Moved += member.Out
		f.Mismatches += member.Mismatches
		if len(p.Classes[p.Members[m].Class].Topics) > 0 {
			f.Min, f.Max = min(f.Min, member.After), max(f.Max, member.After)
		}
	}
	if f.Min > f.Max {
		f.Min = 0
	}
}
