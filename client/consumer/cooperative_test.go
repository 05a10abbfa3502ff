package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
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

// A callback that panics ends the consumer; what it was told to give up is not told again.
func TestPanicOfACallbackWhileSomethingIsKept(t *testing.T) {
	for word, want := range map[string][]string{
		"revoked":  {"assigned [a-0 a-1 a-2]", "revoked [a-2]", "revoked [a-0 a-1]"},
		"assigned": {"assigned [a-0 a-1 a-2]", "revoked [a-2]", "assigned [b-0]", "revoked [a-0 a-1 b-0]"},
		"lost":     {"assigned [a-0 a-1 a-2]", "lost [a-0 a-1 a-2]"},
	} {
		t.Run(word, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := inProcess(t)
				g.create("a", 3)
				armed := ""
				spring := func(here string) func(context.Context, []consumer.TopicPartition) {
					return func(context.Context, []consumer.TopicPartition) {
						if here == armed {
							panic("trap")
						}
					}
				}
				cfg := cooperatives("a", "b")
				cfg.OnAssigned, cfg.OnRevoked, cfg.OnLost = spring("assigned"), spring("revoked"), spring("lost")
				c := g.hire(cfg)
				c.join()
				armed = word
				if word == "lost" {
					c.answerOnce(kmsg.Heartbeat, protocol.UnknownMemberID)
				} else {
					c.forgeAssignment(encode(
						protocol.TopicPartitions{Topic: "a", Partitions: []int32{0, 1}},
						protocol.TopicPartitions{Topic: "b", Partitions: []int32{0}},
					))
					c.Rejoin("")
				}
				<-c.Done()
				wantErr(t, c.Err(), nil, "trap")
				c.wantDiary(want...)
				if a := c.Assignment(); len(a.Partitions) != 0 || a.Generation.ID != -1 {
					t.Errorf("in the end it has %+v", a)
				}
			})
		})
	}
}

// Who is thrown out while it gives up what was taken has lost the rest, and is not told of what the same assignment has added.
func TestThrownOutWhileItGivesUpWhatIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 3)
		g.create("b", 1)
		var c *crew
		cfg := cooperatives("a", "b")
		cfg.OnRevoked = func(ctx context.Context, partitions []consumer.TopicPartition) {
			if slices.Contains(c.Assignment().Partitions, at("b", 0)) {
				return // on leaving
			}
			c.answerOnce(kmsg.OffsetCommit, protocol.UnknownMemberID)
			err := c.Commit(ctx, map[consumer.TopicPartition]consumer.Offset{partitions[0]: {At: 7}})
			wantErr(t, err, consumer.ErrCommitFailed)
		}
		c = g.hire(cfg)
		c.forgeAssignment(encode(protocol.TopicPartitions{Topic: "a", Partitions: []int32{0, 1, 2}}))
		c.join()
		c.forgeAssignment(encode(
			protocol.TopicPartitions{Topic: "a", Partitions: []int32{0, 1}}, protocol.TopicPartitions{Topic: "b", Partitions: []int32{0}},
		))
		c.Rejoin("")
		time.Sleep(2 * time.Minute) // until its old self has expired
		settle()
		c.wantDiary("assigned [a-0 a-1 a-2]", "revoked [a-2]", "lost [a-0 a-1]", "assigned [a-0 a-1 a-2 b-0]")
	})
}

// G-507: with a foreign assignment nothing becomes of what is kept, and nothing is remembered of it.
func TestARefusedAssignmentLeavesWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		cfg := cooperatives("a")
		cfg.Assignors = []assignor.Assignor{remembering{}}
		c := g.hire(cfg)
		c.join()
		c.forgeAssignment(encode(protocol.TopicPartitions{Topic: "foreign", Partitions: []int32{0}}))
		var sent []string
		spoil := func(resp kmsg.Response) (kmsg.Response, error) {
			if join, ok := resp.(*kmsg.JoinGroupResponse); ok {
				s, err := protocol.DecodeSubscription(join.Members[0].ProtocolMetadata)
				sent = append(sent, fmt.Sprint(s.Owned, string(s.UserData), err))
			}
			return resp, nil
		}
		c.line.spoil.Store(&spoil)
		c.Rejoin("")
		settle()
		if want := "[{a [0 1]}][{a [0 1]}]<nil>"; !slices.Equal(sent, []string{want, want}) {
			t.Errorf("it claims %q", sent)
		}
		c.wantDiary("assigned [a-0 a-1]", "assigned []")
	})
}

// Who gives something up joins again a little later: a SyncGroup that is still under way would be refused, and its consumer
// would not learn what it has to give up before the generation after the next.
func TestALateSyncGroupIsStillAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 6)
		crews := []*crew{g.hire(cooperatives("a")), g.hire(cooperatives("a"))}
		for _, c := range crews {
			c.join()
		}
		settle()
		before := crews[0].Assignment().Generation.ID
		late := func(req kmsg.Request) (kmsg.Response, error) {
			if _, ok := req.(*kmsg.SyncGroupRequest); ok {
				time.Sleep(10 * time.Millisecond)
			}
			return nil, nil
		}
		crews[1].line.forge.Store(&late)
		crews = append(crews, g.hire(cooperatives("a")))
		crews[2].join()
		settle()
		g.wantShared(map[string]int32{"a": 6}, crews...)
		if after := crews[0].Assignment().Generation.ID; after != before+2 {
			t.Errorf("it took generations %d to %d", before+1, after)
		}
	})
}

// A leader that never makes up its mind does not keep the group spinning.
func TestAnAssignmentThatAlwaysTakesSlowsTheConsumerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		c := g.hire(cooperatives("a"))
		c.join()
		var synced atomic.Int32
		spoil := func(resp kmsg.Response) (kmsg.Response, error) {
			if sync, ok := resp.(*kmsg.SyncGroupResponse); ok {
				sync.MemberAssignment = encode(protocol.TopicPartitions{Topic: "a", Partitions: []int32{synced.Add(1) % 2}})
			}
			return resp, nil
		}
		c.line.spoil.Store(&spoil)
		c.Rejoin("")
		time.Sleep(time.Minute)
		if n := synced.Load(); n < 50 || n > 70 {
			t.Errorf("%d assignments in a minute", n)
		}
		c.line.spoil.Store(nil)
		settle()
		g.wantShared(map[string]int32{"a": 2}, c)
	})
}

// remembering is an assignor that sends what its member was assigned last.
type remembering struct{ assignor.CooperativeSticky }

func (remembering) UserData(last assignor.Assignment) []byte {
	return []byte(fmt.Sprint(last.Partitions))
}

// KIP-429: from eager to cooperative by two rolling restarts. All the time the members share everything.
func TestUpgradeInTwoBounces(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 7)
		all := map[string]int32{"a": 7}
		crews := make([]*crew, 3)
		bounce := func(assignors ...assignor.Assignor) {
			for i := range crews {
				if crews[i] != nil {
					if err := crews[i].Close(g.Context()); err != nil {
						g.Error(err)
					}
				}
				crews[i] = g.hire(consumer.Config{Topics: []string{"a"}, Assignors: assignors})
				crews[i].join()
				settle()
				if working := slices.DeleteFunc(slices.Clone(crews), func(c *crew) bool { return c == nil }); len(working) > 0 {
					g.wantShared(all, working...)
				}
			}
		}
		for _, assignors := range [][]assignor.Assignor{
			{assignor.Range{}},
			{assignor.CooperativeSticky{}, assignor.Range{}},
			{assignor.CooperativeSticky{}},
			{assignor.CooperativeSticky{}, assignor.Range{}}, // and back
			{assignor.Range{}},
		} {
			bounce(assignors...)
			_, standing := crews[0].Standing()
			if want := assignors[0].Name(); standing.Protocol != want {
				g.Errorf("with %v the group works under %q", assignors, standing.Protocol)
			}
		}
	})
}

// KIP-345, KIP-814: a static member that is back has forgotten what it owned, and is given the same, whether it leads or not.
func TestACooperativeStaticMemberIsBack(t *testing.T) {
	for _, leads := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := inProcess(t)
			g.create("a", 4)
			static := cooperatives("a")
			static.Member.InstanceID = "pod-1"
			configs := []consumer.Config{cooperatives("a"), static}
			if leads {
				slices.Reverse(configs)
			}
			crews := []*crew{g.hire(configs[0])}
			crews[0].join()
			crews = append(crews, g.hire(configs[1]))
			crews[1].join()
			settle()
			if leads {
				slices.Reverse(crews)
			}
			other, gone := crews[0], crews[1]
			before, diary := gone.Assignment(), other.read()
			if err := gone.Close(t.Context()); err != nil {
				t.Error(err)
			}
			back := g.hire(static)
			back.join()
			settle()
			after := back.Assignment()
			if len(after.Partitions) != 2 || !slices.Equal(after.Partitions, before.Partitions) ||
				after.Generation.ID != before.Generation.ID || after.Leader != leads {
				t.Errorf("it had %+v, and has %+v", before, after)
			}
			back.wantDiary(fmt.Sprintf("assigned %v", before.Partitions))
			other.wantDiary(diary...)
		})
	}
}

// A static member that is replaced while it gives up what was taken from it does not join again to say so: the leader sees
// to it that this does not stay without an owner.
func TestWhatAReplacedMemberHasGivenUpIsAssigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 4)
		leader := g.hire(cooperatives("a"))
		leader.join()
		cfg := cooperatives("a")
		cfg.Member.InstanceID = "pod-1"
		cfg.OnRevoked = func(ctx context.Context, _ []consumer.TopicPartition) { sleep(ctx, time.Minute) }
		replaced := g.hire(cfg)
		replaced.join()
		settle()
		third := g.hire(cooperatives("a"))
		third.join()
		settle()
		if got := len(replaced.Assignment().Partitions); got != 2 {
			t.Fatalf("it has %d partitions, want those that it gives up", got)
		}
		cfg.OnRevoked = nil
		successor := g.hire(cfg)
		successor.join()
		time.Sleep(2 * time.Minute)
		settle()
		g.wantShared(map[string]int32{"a": 4}, leader, successor, third)
	})
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// answerOnce answers the next request of one kind with an error code.
func (c *crew) answerOnce(api kmsg.Key, code protocol.ErrorCode) {
	done := false
	forge := func(req kmsg.Request) (kmsg.Response, error) {
		if req.Key() != api.Int16() || done {
			return nil, nil
		}
		done = true
		return refused(req, code), nil
	}
	c.line.forge.Store(&forge)
}

// refused is an answer with an error code.
func refused(req kmsg.Request, code protocol.ErrorCode) kmsg.Response {
	resp := req.ResponseKind()
	switch resp := resp.(type) {
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode = int16(code)
	case *kmsg.SyncGroupResponse:
		resp.ErrorCode = int16(code)
	case *kmsg.HeartbeatResponse:
		resp.ErrorCode = int16(code)
	case *kmsg.OffsetCommitResponse:
		partitions := []kmsg.OffsetCommitResponseTopicPartition{{ErrorCode: int16(code)}}
		resp.Topics = []kmsg.OffsetCommitResponseTopic{{Partitions: partitions}}
	}
	return resp
}
