package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

// Closing gives everything up (G-481, G-483).
func TestLoneConsumerOwnsEverything(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("b", 2)
		g.create("a", 11)
		c := g.hire(consumer.Config{Topics: []string{"b", "a", "b"}})
		a := c.join()
		if len(a.Partitions) != 13 || a.Partitions[10] != at("a", 10) || a.Partitions[11] != at("b", 0) || !a.Leader {
			g.Errorf("assignment is %+v", a)
		}
		if err := c.Close(g.Context()); err != nil {
			g.Error(err)
		}
		all := "[a-0 a-1 a-2 a-3 a-4 a-5 a-6 a-7 a-8 a-9 a-10 b-0 b-1]"
		c.wantDiary("assigned "+all, "revoked "+all)
		if a := c.Assignment(); len(a.Partitions) != 0 || a.Generation.ID != -1 {
			g.Errorf("after Close it owns %+v", a)
		}
	})
}

func TestConsumersShareThroughALeaveAndAKill(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		all := map[string]int32{"a": 7, "b": 5}
		for topic, partitions := range all {
			g.create(topic, partitions)
		}
		for _, a := range []assignor.Assignor{assignor.Range{}, assignor.RoundRobin{}} {
			var crews []*crew
			for range 4 {
				crews = append(crews, g.hire(consumer.Config{Topics: []string{"a", "b"}, Assignors: []assignor.Assignor{a}}))
			}
			for _, c := range crews {
				c.Join(g.Context())
			}
			settle()
			g.wantShared(all, crews...)

			if err := crews[0].Close(g.Context()); err != nil {
				g.Error(err)
			}
			settle()
			g.wantShared(all, crews[1:]...)

			crews[1].kill()
			time.Sleep(50 * time.Second) // more than the session timeout
			settle()
			g.wantShared(all, crews[2:]...)
			for _, c := range crews {
				_ = c.Close(g.Context())
			}
		}
	})
}

// TestStickyConsumersKeepWhatTheyHad: a member sends what it was assigned as user data (G-553), so that who joins and who leaves
// does not move the partitions of the others. By round robin, nearly all of them would move.
func TestStickyConsumersKeepWhatTheyHad(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		all := map[string]int32{"a": 7, "b": 5}
		for topic, partitions := range all {
			g.create(topic, partitions)
		}
		cfg := consumer.Config{Topics: []string{"a", "b"}, Assignors: []assignor.Assignor{assignor.Sticky{}}}
		var crews []*crew
		for range 4 {
			crews = append(crews, g.hire(cfg))
			crews[len(crews)-1].Join(g.Context())
			before := make([][]consumer.TopicPartition, len(crews))
			for i, c := range crews {
				before[i] = c.Assignment().Partitions
			}
			settle()
			g.wantShared(all, crews...)
			for i, c := range crews {
				for _, p := range c.Assignment().Partitions {
					if len(before[i]) > 0 && !slices.Contains(before[i], p) {
						g.Errorf("when consumer %d joins, consumer %d with %v gets %v", len(crews)-1, i, before[i], p)
					}
				}
			}
		}
		before := crews[3].Assignment().Partitions
		if err := crews[0].Close(g.Context()); err != nil {
			g.Error(err)
		}
		settle()
		g.wantShared(all, crews[1:]...)
		for _, p := range before {
			if after := crews[3].Assignment().Partitions; !slices.Contains(after, p) {
				g.Errorf("when one leaves, another goes from %v to %v", before, after)
			}
		}
	})
}

// G-483, G-492: what the consumer owned is lost, not revoked; and a commit of it does not count any more.
func TestExpiredConsumerLosesWhatItOwned(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 2)
		var inLost error
		var c *crew
		c = g.hire(consumer.Config{
			Topics: []string{"a"},
			Member: client.Config{SessionTimeout: 10 * time.Second},
			OnLost: func(ctx context.Context, owned []consumer.TopicPartition) {
				inLost = c.Commit(ctx, map[consumer.TopicPartition]consumer.Offset{owned[0]: {At: 1}})
			},
		})
		c.join()
		c.line.cut.Store(true)
		time.Sleep(time.Minute)
		c.wantDiary("assigned [a-0 a-1]") // nobody has told it yet
		c.line.cut.Store(false)
		settle()
		c.wantDiary("assigned [a-0 a-1]", "lost [a-0 a-1]", "assigned [a-0 a-1]")
		wantErr(g, inLost, consumer.ErrCommitFailed)
	})
}

// The whole assignment is told anew (G-509).
func TestUnknownTopicIsReportedAndAwaited(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 2)
		var told atomic.Value
		c := g.hire(consumer.Config{Topics: []string{"a", "later"}, OnNotes: func(notes []assignor.Note) { told.Store(fmt.Sprint(notes)) }})
		if a := c.join(); !slices.Equal(a.Partitions, []consumer.TopicPartition{at("a", 0), at("a", 1)}) {
			g.Errorf("assignment is %v", a.Partitions)
		}
		wantErr(g, errors.New(told.Load().(string)), nil, `topic "later"`, "does not exist")
		g.create("later", 1)
		time.Sleep(10 * time.Second)
		c.wantDiary("assigned [a-0 a-1]", "revoked [a-0 a-1]", "assigned [a-0 a-1 later-0]")
	})
}

// Callbacks come with an empty list too (G-493, G-508).
func TestNothingButUnknownTopics(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		c := g.hire(consumer.Config{Topics: []string{"later"}})
		if a := c.join(); len(a.Partitions) != 0 {
			g.Errorf("assignment is %v", a.Partitions)
		}
		g.create("later", 1)
		time.Sleep(10 * time.Second)
		c.wantDiary("assigned []", "revoked []", "assigned [later-0]")
	})
}

// G-485: the leader's metadata, once it is old, shows the new partitions, of topics of other members too (G-488).
func TestNewPartitionsMakeTheGroupRebalance(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 1)
		g.create("b", 1)
		leader := g.hire(consumer.Config{Topics: []string{"a"}, MetadataMaxAge: time.Minute})
		leader.join()
		follower := g.hire(consumer.Config{Topics: []string{"b"}, MetadataMaxAge: time.Minute})
		follower.join()
		g.create("b", 3)
		time.Sleep(70 * time.Second)
		if a := follower.Assignment(); len(a.Partitions) != 3 || a.Leader {
			g.Errorf("the follower owns %+v", a)
		}
	})
}

func TestAnAssignorThatFailsEndsItsConsumerAndNotTheGroup(t *testing.T) {
	broken := errors.New("no plan today")
	first := func(parts map[string]int, members map[string][]string) map[string][]assignor.TopicPartition {
		for id := range members {
			return map[string][]assignor.TopicPartition{id: {{Topic: "a", Partition: 0}}}
		}
		return nil
	}
	for name, tt := range map[string]struct {
		assign assignor.AssignFunc
		target error
	}{
		"fails": {func(map[string]int, map[string][]string) (map[string][]assignor.TopicPartition, error) {
			return nil, broken
		}, broken},
		"panics": {func(map[string]int, map[string][]string) (map[string][]assignor.TopicPartition, error) { panic(broken) }, broken},
		"returns a partial plan": {func(parts map[string]int, members map[string][]string) (map[string][]assignor.TopicPartition, error) {
			return first(parts, members), nil
		}, assignor.ErrPartial},
	} {
		t.Run(name, func(t *testing.T) {
			onBothGrounds(t, func(g *ground) {
				g.create("a", 2)
				bad := g.hire(consumer.Config{Topics: []string{"a"}, Assignors: []assignor.Assignor{assignor.Simple("range", tt.assign)}})
				failed := bad.Join(g.Context())
				time.Sleep(time.Second) // the first to join leads
				good := g.hire(consumer.Config{Topics: []string{"a"}})
				joined := good.Join(g.Context())
				_, err := failed.Wait(g.Context())
				wantErr(g, err, tt.target, `group "g"`, `assignor "range"`)
				<-bad.Done()
				wantErr(g, bad.Err(), tt.target)
				if a, err := joined.Wait(g.Context()); err != nil || len(a.Partitions) != 2 {
					g.Errorf("the other consumer: %+v, %v", a, err)
				}
			})
		})
	}
}

func TestConsumersWithoutACommonAssignor(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 1)
		g.hire(consumer.Config{Topics: []string{"a"}}).join()
		odd := g.hire(consumer.Config{Topics: []string{"a"}, Assignors: []assignor.Assignor{assignor.RoundRobin{}}})
		_, err := odd.Join(g.Context()).Wait(g.Context())
		wantErr(g, err, protocol.InconsistentGroupProtocol, `"consumer"`, `["roundrobin"]`, "all of them list")
	})
}

// The group votes for what all have, in the order that most prefer, and the leader takes its assignor by that name (G-498).
func TestGroupAgreesOnACommonAssignor(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 4)
		both := g.hire(consumer.Config{Topics: []string{"a"}, Assignors: []assignor.Assignor{assignor.RoundRobin{}, assignor.Range{}}})
		if a := both.join(); a.Generation.Protocol != "roundrobin" {
			g.Errorf("the protocol is %q", a.Generation.Protocol)
		}
		one := g.hire(consumer.Config{Topics: []string{"a"}})
		if a := one.join(); a.Generation.Protocol != "range" {
			g.Errorf("the protocol is %q", a.Generation.Protocol)
		}
		settle()
		g.wantShared(map[string]int32{"a": 4}, both, one)
	})
}

// What one member sends must not stop the others.
func TestGarbageFromAPeerIsLeftOut(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 2)
		var notes atomic.Value
		c := g.hire(consumer.Config{Topics: []string{"a"}, OnNotes: func(n []assignor.Note) { notes.Store(fmt.Sprint(n)) }})
		c.join()
		odd, err := client.New(g.transport, garbage{}, client.Config{Group: "g"})
		if err != nil {
			g.Fatal(err)
		}
		defer odd.Close(context.Background())
		if _, err := odd.Join(g.Context()).Wait(g.Context()); err != nil {
			g.Fatal(err)
		}
		settle()
		if a := c.Assignment(); len(a.Partitions) != 2 {
			g.Errorf("the consumer owns %+v", a)
		}
		wantErr(g, errors.New(notes.Load().(string)), nil, "cannot be read")
	})
}

// garbage is a member whose metadata nobody can read.
type garbage struct{}

func (garbage) Type() string           { return "consumer" }
func (garbage) Offers() []client.Offer { return []client.Offer{{Name: "range", Metadata: []byte{0}}} }
func (garbage) PerformAssignment(context.Context, client.Election) (map[string][]byte, error) {
	return nil, errors.New("not reached")
}
func (garbage) Assigned(context.Context, client.Assignment) error { return nil }
func (garbage) Release(context.Context, client.Release) bool      { return false }

func TestStaticConsumerKeepsItsPlaceOverARestart(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 4)
		other := g.hire(consumer.Config{Topics: []string{"a"}})
		other.join()
		static := consumer.Config{Topics: []string{"a"}, Member: client.Config{InstanceID: "i"}}
		before := g.hire(static)
		owned := before.join()
		settle()
		if err := before.Close(g.Context()); err != nil {
			g.Error(err)
		}
		after := g.hire(static).join()
		if !slices.Equal(after.Partitions, owned.Partitions) || after.Generation.ID != owned.Generation.ID {
			g.Errorf("before the restart %+v, after it %+v", owned, after)
		}
	})
}
