package demo

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/internal/timeline"
)

// A member is a consumer of the group together with what it does with its partitions: it reads them, and commits how far
// it has come.
type member struct {
	name     string
	stage    *stage
	watch    *timeline.Watch
	life     *life
	consumer *consumer.Consumer
	reader   *reader // of the present assignment; the callbacks' own

	doomed atomic.Bool   // to die after the next batch
	dead   chan struct{} // closed when it has died
	gone   bool          // has left or is dead; the story's own
}

// enter makes a member.
func (s *stage) enter(name string) (*member, error) {
	m := &member{name: name, stage: s, watch: s.line.Watch(name), life: newLife(s.transport), dead: make(chan struct{})}
	c, err := consumer.New(m.watch.Transport(m.life), consumer.Config{
		Member: client.Config{
			Group: groupID, ClientID: name, SessionTimeout: sessionTimeout, HeartbeatInterval: heartbeatInterval,
			Events: m.watch.Events(),
		},
		Topics:     []string{topic},
		OnAssigned: m.onAssigned,
		OnRevoked:  m.onRevoked,
		OnLost:     m.onLost,
	})
	if err != nil {
		return nil, err
	}
	m.consumer = c
	m.watch.Add(timeline.Event{Kind: timeline.Started})
	return m, nil
}

// join makes the member join the group, and follow it from then on. What ends the member ends the story.
func (m *member) join(ctx context.Context) {
	joined := m.consumer.Join(ctx)
	go func() {
		if _, err := joined.Wait(context.Background()); err != nil {
			m.fail(err)
		}
		<-m.consumer.Done()
		if err := m.consumer.Err(); err != nil {
			m.fail(err)
		}
	}()
}

// onAssigned begins to read at the committed offsets.
func (m *member) onAssigned(ctx context.Context, assigned []consumer.TopicPartition) {
	committed, err := m.consumer.Committed(ctx, assigned...)
	if err != nil {
		m.fail(err)
		return
	}
	numbers := make([]int32, len(assigned))
	from := make(map[int32]int64, len(assigned))
	for i, p := range assigned {
		numbers[i] = p.Partition
		from[p.Partition] = committed[p].At // 0 where nothing is committed
	}
	m.stage.ledger.assigned(m.name, m.consumer.Assignment().Generation.ID, numbers)
	m.stage.ledger.resumed(m.name, from)
	if len(from) == 0 {
		return
	}
	if m.reader, err = m.read(from); err != nil {
		m.fail(err)
	}
}

// onRevoked stops reading and commits how far it came.
func (m *member) onRevoked(ctx context.Context, _ []consumer.TopicPartition) {
	if next := m.stopReading(); len(next) > 0 {
		if err := m.commit(ctx, next); err != nil {
			m.fail(err)
		}
	}
	m.stage.ledger.released(m.name)
}

// onLost only stops: the partitions may have other owners already.
func (m *member) onLost(context.Context, []consumer.TopicPartition) {
	m.stopReading()
	m.stage.ledger.released(m.name)
}

// stopReading returns the offsets of the records that would have come next.
func (m *member) stopReading() map[int32]int64 {
	if m.reader == nil {
		return nil
	}
	next := m.reader.stop()
	m.reader = nil
	return next
}

// commit commits offsets and notes that they are.
func (m *member) commit(ctx context.Context, next map[int32]int64) error {
	offsets := make(map[consumer.TopicPartition]consumer.Offset, len(next))
	for p, offset := range next {
		offsets[consumer.TopicPartition{Topic: topic, Partition: p}] = consumer.Offset{At: offset}
	}
	if err := m.consumer.Commit(ctx, offsets); err != nil {
		return err
	}
	m.stage.ledger.commit(maps.Clone(next))
	return nil
}

// fail ends the story, unless the member is dead and can do nothing right any more.
func (m *member) fail(err error) {
	if !m.doomed.Load() {
		m.stage.ledger.fail(fmt.Errorf("%s: %w", m.name, err))
	}
}

// leave closes the consumer, which gives up its partitions and leaves the group.
func (m *member) leave(ctx context.Context) error {
	m.gone = true
	if err := m.consumer.Close(ctx); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// kill lets the member die, as kill -9 does with a process, right after it has read records that it has not committed.
func (m *member) kill(ctx context.Context) error {
	m.gone = true
	m.doomed.Store(true)
	select {
	case <-m.dead:
		// No process is left behind that could go on. Its session is dead already, so nothing gets out.
		_ = m.consumer.Close(ctx)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("while %s was to be killed: %w", m.name, context.Cause(ctx))
	}
}

// die is the death of a member, in its reader's goroutine.
func (m *member) die() {
	m.life.end()
	m.watch.Add(timeline.Event{Kind: timeline.Killed, Text: "no commit, no LeaveGroup, and no heartbeat from now on"})
	m.watch.Mute()
	m.stage.ledger.released(m.name)
	close(m.dead)
}
