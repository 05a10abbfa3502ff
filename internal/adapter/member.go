package adapter

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// Option is an option of an adapter.
type Option func(*Member)

// OnNotes has somebody told what is found wrong ([Member.Note]), by the goroutine that finds it.
func OnNotes(f func([]assignor.Note)) Option {
	return func(m *Member) { m.onNotes = f }
}

// Member is an assignor as one member of a group uses it. Its methods may be called concurrently.
type Member struct {
	assignor.Assignor
	onNotes func([]assignor.Note)

	mu    sync.Mutex
	last  assignor.Assignment
	again *time.Timer // for the rebalance that the assignor has asked for; nil if it has not
}

// NewMember makes a member that was assigned nothing yet.
func NewMember(a assignor.Assignor, options ...Option) *Member {
	m := &Member{Assignor: a, last: assignor.Assignment{Generation: -1}}
	for _, option := range options {
		option(m)
	}
	return m
}

// Last is what the member was last assigned.
func (m *Member) Last() assignor.Assignment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// Join is called when the member joins: the rebalance that it may have asked for is there. It returns the user data of its
// subscription.
func (m *Member) Join(last assignor.Assignment) []byte {
	m.wait(nil)
	if a, ok := m.Assignor.(assignor.UserDataAssignor); ok {
		return a.UserData(last)
	}
	return nil
}

// Lead makes the plan of the generation that the member leads.
func (m *Member) Lead(join assignor.Join, cluster assignor.Cluster) (*assignor.Plan, error) {
	join.Previous = m.Last().Generation
	plan, err := assignor.Solve(context.Background(), m.Assignor, join, cluster)
	if err != nil {
		return nil, err
	}
	m.Note(plan.Notes()...)
	return plan, nil
}

// Note tells what is wrong, if anything is and somebody wants to know.
func (m *Member) Note(notes ...assignor.Note) {
	if len(notes) > 0 && m.onNotes != nil {
		m.onNotes(notes)
	}
}

// Assigned tells the assignor what the member is assigned, in any order. If it asks for a rebalance, rejoin is called: before
// Assigned returns, or later by a goroutine of its own, unless the member has joined or is assigned something else by then.
func (m *Member) Assigned(generation int32, topics map[string][]int32, userData []byte, rejoin func()) {
	last := assignor.Assignment{Generation: generation, Partitions: Partitions(topics), UserData: userData}
	m.mu.Lock()
	m.last = last
	m.mu.Unlock()
	m.wait(nil)
	listener, ok := m.Assignor.(assignor.AssignmentListener)
	if !ok {
		return
	}
	switch again, after := listener.OnAssignment(last); {
	case !again:
	case after <= 0:
		rejoin()
	default:
		m.wait(time.AfterFunc(after, rejoin))
	}
}

// wait waits with a timer instead of the one before.
func (m *Member) wait(timer *time.Timer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.again != nil {
		m.again.Stop()
	}
	m.again = timer
}

// Partitions lists partitions as an [assignor.Assignment] does. It leaves topics without any out.
func Partitions(topics map[string][]int32) []protocol.TopicPartitions {
	list := make([]protocol.TopicPartitions, 0, len(topics))
	for topic, partitions := range topics {
		if len(partitions) > 0 {
			list = append(list, protocol.TopicPartitions{Topic: topic, Partitions: slices.Sorted(slices.Values(partitions))})
		}
	}
	slices.SortFunc(list, func(a, b protocol.TopicPartitions) int { return protocol.CompareJava(a.Topic, b.Topic) })
	return list
}

// ByTopic is the other way round. A topic that is listed twice has the partitions of both.
func ByTopic(list []protocol.TopicPartitions) map[string][]int32 {
	topics := make(map[string][]int32, len(list))
	for _, t := range list {
		topics[t.Topic] = append(topics[t.Topic], t.Partitions...)
	}
	return topics
}
