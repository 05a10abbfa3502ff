package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

func cooperatives(topics ...string) consumer.Config {
	return consumer.Config{Topics: topics, Assignors: []assignor.Assignor{assignor.CooperativeSticky{}}}
}

// G-494, G-508, G-510: who stays gives up what moves and nothing else, and that moves in a second rebalance.
func TestCooperativeConsumersGoOnWithWhatTheyKeep(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 4)
		first := g.hire(cooperatives("a"))
		first.join()
		second := g.hire(cooperatives("a"))
		second.Join(g.Context())
		settle()
		moved := fmt.Sprint(second.Assignment().Partitions)
		first.wantDiary("assigned [a-0 a-1 a-2 a-3]", "revoked "+moved, "assigned []", "assigned []")
		g.wantShared(map[string]int32{"a": 4}, first, second)
		if got := second.read(); got[len(got)-1] != "assigned "+moved {
			g.Errorf("the other one in the end: %s", got[len(got)-1])
		}
		if err := second.Close(g.Context()); err != nil {
			g.Error(err)
		}
		settle()
		first.wantDiary("assigned [a-0 a-1 a-2 a-3]", "revoked "+moved, "assigned []", "assigned []", "assigned "+moved)
		g.wantShared(map[string]int32{"a": 4}, first)
		if err := first.Close(g.Context()); err != nil {
			g.Error(err)
		}
		if got := first.read(); got[len(got)-1] != "revoked [a-0 a-1 a-2 a-3]" {
			g.Errorf("on leaving: %s", got[len(got)-1])
		}
	})
}

// G-497: with one eager assignor among them, all are eager.
func TestOneEagerAssignorMakesAnEagerConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		cfg := cooperatives("a")
		cfg.Assignors = append(cfg.Assignors, assignor.Range{})
		c := g.hire(cfg)
		c.join()
		c.Rejoin("")
		settle()
		c.wantDiary("assigned [a-0]", "revoked [a-0]", "assigned [a-0]")
	})
}

// What is kept is told to the leader, with the generation since which (KIP-792); and while it is kept, it can be asked for.
func TestWhatIsKeptIsInTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		c := g.hire(cooperatives("a"))
		c.join()
		var sent protocol.Subscription
		forge := func(req kmsg.Request) (kmsg.Response, error) {
			if join, ok := req.(*kmsg.JoinGroupRequest); ok {
				var err error
				if sent, err = protocol.DecodeSubscription(join.Protocols[0].Metadata); err != nil {
					t.Error(err)
				}
				if got := c.Assignment().Partitions; !slices.Equal(got, []consumer.TopicPartition{at("a", 0), at("a", 1)}) {
					t.Errorf("while it joins it has %v", got)
				}
			}
			return nil, nil
		}
		c.line.forge.Store(&forge)
		c.Rejoin("")
		settle()
		if got := fmt.Sprint(sent.Owned, sent.Generation); got != "[{a [0 1]}] 1" {
			t.Errorf("it owns %s", got)
		}
		c.wantDiary("assigned [a-0 a-1]", "assigned []")
	})
}

// G-492, G-483: who is thrown out while it joins again has lost what it kept.
func TestWhatIsKeptIsLostWithTheMembership(t *testing.T) {
	for name, code := range map[string]protocol.ErrorCode{"unknown": protocol.UnknownMemberID, "out of date": protocol.IllegalGeneration} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := inProcess(t)
				g.create("a", 2)
				c := g.hire(cooperatives("a"))
				c.join()
				once := false
				forge := func(req kmsg.Request) (kmsg.Response, error) {
					if _, ok := req.(*kmsg.SyncGroupRequest); ok && !once {
						once = true
						resp := kmsg.NewPtrSyncGroupResponse()
						resp.ErrorCode = int16(code)
						return resp, nil
					}
					return nil, nil
				}
				c.line.forge.Store(&forge)
				c.Rejoin("")
				time.Sleep(2 * time.Minute) // until its old self has expired
				settle()
				c.wantDiary("assigned [a-0 a-1]", "lost [a-0 a-1]", "assigned [a-0 a-1]")
			})
		})
	}
}

// G-483: a commit would be refused in the middle of a rebalance, so what is kept is lost on leaving.
func TestLeavingWhileItJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		c := g.hire(cooperatives("a"))
		c.join()
		forge := func(req kmsg.Request) (kmsg.Response, error) {
			if _, ok := req.(*kmsg.SyncGroupRequest); ok {
				return nil, errors.New("lost on the way")
			}
			return nil, nil
		}
		c.line.forge.Store(&forge)
		c.Rejoin("")
		settle()
		c.wantDiary("assigned [a-0 a-1]")
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		c.wantDiary("assigned [a-0 a-1]", "lost [a-0 a-1]")
	})
}

// What is taken is committed while it is still the consumer's.
func TestCommitOfWhatIsTaken(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 2)
		var first *crew
		cfg := cooperatives("a")
		cfg.OnRevoked = func(ctx context.Context, partitions []consumer.TopicPartition) {
			for _, p := range partitions {
				if !slices.Contains(first.Assignment().Partitions, p) {
					g.Errorf("%v is gone already", p)
				}
				if err := first.Commit(ctx, map[consumer.TopicPartition]consumer.Offset{p: {At: 7}}); err != nil {
					g.Error(err)
				}
			}
		}
		first = g.hire(cfg)
		first.join()
		second := g.hire(cooperatives("a"))
		second.Join(g.Context())
		settle()
		got, err := second.Committed(g.Context(), second.Assignment().Partitions...)
		if err != nil || len(got) != 1 || got[second.Assignment().Partitions[0]].At != 7 {
			g.Errorf("the next owner of %v finds %v, %v", second.Assignment().Partitions, got, err)
		}
	})
}

// Twenty consumers through leaves, kills and joins: all the time each partition has one owner at most.
func TestCooperativeConsumersNeverShareAPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		all := map[string]int32{"a": 60, "b": 17}
		for topic, partitions := range all {
			g.create(topic, partitions)
		}
		var mu sync.Mutex
		owner := map[consumer.TopicPartition]*crew{}
		hire := func() *crew {
			c := new(*crew)
			cfg := cooperatives("a", "b")
			change := func(take bool) func(context.Context, []consumer.TopicPartition) {
				return func(_ context.Context, partitions []consumer.TopicPartition) {
					mu.Lock()
					defer mu.Unlock()
					for _, p := range partitions {
						if other := owner[p]; take && other != nil {
							t.Errorf("%v is taken while another one has it", p)
						}
						if take {
							owner[p] = *c
						} else if owner[p] == *c {
							delete(owner, p)
						}
					}
				}
			}
			cfg.OnAssigned, cfg.OnRevoked = change(true), change(false)
			*c = g.hire(cfg)
			(*c).Join(t.Context())
			return *c
		}
		var crews []*crew
		for range 20 {
			crews = append(crews, hire())
		}
		settle()
		g.wantShared(all, crews...)
		for _, c := range crews[:5] {
			go c.Close(t.Context())
		}
		settle()
		g.wantShared(all, crews[5:]...)
		for _, c := range crews[5:8] {
			c.kill()
			mu.Lock()
			for p, of := range owner {
				if of == c {
					delete(owner, p) // who is cut off is as good as dead
				}
			}
			mu.Unlock()
		}
		time.Sleep(time.Minute)
		crews = append(crews[8:], hire(), hire())
		settle()
		g.wantShared(all, crews...)
	})
}
