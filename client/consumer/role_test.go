package consumer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

func TestConfigReportsAllViolationsTogether(t *testing.T) {
	g := &ground{T: t}
	_, err := consumer.New(g.transport, consumer.Config{
		Topics:         []string{"fine", "not fine", ""},
		Assignors:      []assignor.Assignor{assignor.Range{}, assignor.Range{}, nil},
		Rack:           strings.Repeat("r", 40000),
		MetadataMaxAge: -1,
	})
	wantErr(t, err, nil,
		`Group is ""`,
		`Topics has "not fine": use 1 to 249 of`,
		`Topics has "": use`,
		`Assignors has two of the name "range": list each assignor once`,
		"Assignors has a nil",
		"Rack is 40000 bytes long: use at most 32767",
		"MetadataMaxAge is -1ns",
	)
	_, err = consumer.New(g.transport, consumer.Config{Member: client.Config{Group: "g"}})
	wantErr(t, err, nil, "Topics is empty: name at least one")
	_, err = consumer.New(g.transport, consumer.Config{
		Member: client.Config{Group: "g"}, Topics: []string{"a"}, Assignors: []assignor.Assignor{assignor.Range{}, cooperative{}},
	})
	wantErr(t, err, nil, `Assignors have no rebalance protocol in common: "range" is eager, "moving" is cooperative: leave out`)
}

// cooperative is an assignor that cannot work with members that give everything up.
type cooperative struct{}

func (cooperative) Name() string                         { return "moving" }
func (cooperative) Supports() assignor.RebalanceProtocol { return assignor.Cooperative }
func (cooperative) Assign(context.Context, *assignor.Problem, *assignor.Plan) error {
	return errors.New("not reached")
}

// G-527, G-529: the subscription of version 3, of an eager consumer that owns nothing when it joins (G-496), and that has
// no user data for its assignors (G-536).
func TestJoinGroupCarriesTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		var joins []*kmsg.JoinGroupRequest
		c := g.hire(consumer.Config{
			Topics:    []string{"b", "a"},
			Rack:      "r1",
			Assignors: []assignor.Assignor{assignor.RoundRobin{}, assignor.Range{}},
		})
		watch := func(req kmsg.Request) (kmsg.Response, error) {
			if join, ok := req.(*kmsg.JoinGroupRequest); ok {
				joins = append(joins, join)
			}
			return nil, nil
		}
		c.line.forge.Store(&watch)
		c.join()
		c.Rejoin("")
		c.join()
		if first := joins[0]; first.ProtocolType != "consumer" || len(first.Protocols) != 2 ||
			first.Protocols[0].Name != "roundrobin" || first.Protocols[1].Name != "range" {
			t.Errorf("JoinGroup is %+v", first)
		}
		for join, generation := range map[*kmsg.JoinGroupRequest]int32{joins[0]: -1, joins[2]: 1} {
			s, err := protocol.DecodeSubscription(join.Protocols[0].Metadata)
			if err != nil || s.Version != 3 || !slices.Equal(s.Topics, []string{"a", "b"}) || s.UserData != nil ||
				len(s.Owned) != 0 || s.Generation != generation || s.Rack != "r1" {
				t.Errorf("subscription is %+v, %v", s, err)
			}
		}
	})
}

// forgeAssignment replaces what the leader has assigned, each time that there is something left to replace it with.
func (c *crew) forgeAssignment(all ...[]byte) {
	forge := func(req kmsg.Request) (kmsg.Response, error) {
		sync, ok := req.(*kmsg.SyncGroupRequest)
		if !ok || len(all) == 0 {
			return nil, nil
		}
		resp := kmsg.NewPtrSyncGroupResponse()
		resp.ProtocolType, resp.Protocol, resp.MemberAssignment = sync.ProtocolType, sync.Protocol, all[0]
		all = all[1:]
		return resp, nil
	}
	c.line.forge.Store(&forge)
}

func encode(partitions ...protocol.TopicPartitions) []byte {
	a := protocol.NewAssignment(partitions...)
	return a.AppendTo(nil)
}

// G-507. From the second time on the consumer takes its time.
func TestAssignmentOfForeignTopicsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		foreign := encode(protocol.TopicPartitions{Topic: "foreign", Partitions: []int32{0}})
		c.forgeAssignment(foreign, foreign, foreign)
		began := time.Now()
		if a := c.join(); a.Generation.ID != 4 {
			t.Errorf("assigned in generation %d", a.Generation.ID)
		}
		c.wantDiary("assigned [a-0 a-1]")
		if took := time.Since(began); took < 5*time.Second { // 3 s of initial rebalance delay, and two pauses
			t.Errorf("took %v", took)
		}
	})
}

// G-514.
func TestAssignmentIsSortedAndCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		c := g.hire(consumer.Config{Topics: []string{"a", "b"}})
		c.forgeAssignment(encode(
			protocol.TopicPartitions{Topic: "b", Partitions: []int32{1, 0, 1}},
			protocol.TopicPartitions{Topic: "a", Partitions: []int32{3}},
			protocol.TopicPartitions{Topic: "b", Partitions: []int32{2}},
		))
		a := c.join()
		if want := []consumer.TopicPartition{at("a", 3), at("b", 0), at("b", 1), at("b", 2)}; !slices.Equal(a.Partitions, want) {
			t.Errorf("assignment is %v", a.Partitions)
		}
	})
}

// A leader that leaves a member out means that it gets nothing.
func TestNoAssignmentIsAnEmptyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t).hire(consumer.Config{Topics: []string{"a"}})
		c.forgeAssignment(nil)
		if a := c.join(); len(a.Partitions) != 0 || a.Generation.ID != 1 {
			t.Errorf("assignment is %+v", a)
		}
		c.wantDiary("assigned []")
	})
}

// G-506.
func TestUnreadableAssignmentEndsTheConsumer(t *testing.T) {
	for name, b := range map[string][]byte{
		"too short":          {0},
		"truncated":          {0, 3, 0, 0, 0, 9},
		"negative version":   {0x80, 0},
		"negative partition": encode(protocol.TopicPartitions{Topic: "a", Partitions: []int32{-1}}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := inProcess(t).hire(consumer.Config{Topics: []string{"a"}})
				c.forgeAssignment(b)
				_, err := c.Join(t.Context()).Wait(t.Context())
				wantErr(t, err, nil, `group "g"`, "the leader sent")
				<-c.Done()
				c.wantDiary()
			})
		})
	}
}

// forgeMetadata answers Metadata with one topic of two partitions, each in a rack of its own.
func (c *crew) forgeMetadata(racks ...string) {
	forge := func(req kmsg.Request) (kmsg.Response, error) {
		if _, ok := req.(*kmsg.MetadataRequest); !ok {
			return nil, nil
		}
		resp := kmsg.NewPtrMetadataResponse()
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = kmsg.StringPtr("a")
		for i, rack := range racks {
			broker := kmsg.NewMetadataResponseBroker()
			broker.NodeID, broker.Rack = int32(i), kmsg.StringPtr(rack)
			resp.Brokers = append(resp.Brokers, broker)
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition, p.Leader, p.Replicas = int32(i), int32(i), []int32{int32(i)}
			topic.Partitions = append(topic.Partitions, p)
		}
		resp.Topics = append(resp.Topics, topic, topic) // a broker that repeats itself
		return resp, nil
	}
	c.line.forge.Store(&forge)
}

// G-486: racks count for a leader that has one itself.
func TestLeaderWatchesRacksIfItHasOne(t *testing.T) {
	for rack, want := range map[string]int32{"": 1, "r1": 2} {
		synctest.Test(t, func(t *testing.T) {
			c := inProcess(t).hire(consumer.Config{Topics: []string{"a"}, Rack: rack, MetadataMaxAge: time.Minute})
			c.forgeMetadata("r1", "r2")
			c.join()
			c.forgeMetadata("r1", "r3")
			time.Sleep(65 * time.Second)
			if a := c.Assignment(); a.Generation.ID != want || len(a.Partitions) != 2 {
				t.Errorf("rack %q: assigned %+v", rack, a)
			}
		})
	}
}

// While the cluster cannot tell the leader of topics, it asks again; the others wait in SyncGroup (G-499).
func TestLeaderAsksForMetadataUntilItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		asked := c.loseMetadata(5)
		if a := c.join(); len(a.Partitions) != 1 || *asked != 6 {
			t.Errorf("assignment is %+v after %d questions", a, *asked)
		}
	})
}

func TestLeaderWithoutAnAnswerToMetadataGivesUpAfterTheRebalanceTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t).hire(consumer.Config{Topics: []string{"a"}, Member: client.Config{RebalanceTimeout: 10 * time.Second}})
		c.loseMetadata(1000)
		began := time.Now()
		_, err := c.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, context.DeadlineExceeded, `group "g"`, "fetch the partitions of 1 topics", errCut.Error())
		if took := time.Since(began); took != 13*time.Second { // 3 s of initial rebalance delay
			t.Errorf("took %v", took)
		}
	})
}

// loseMetadata loses the next Metadata requests, and counts them all.
func (c *crew) loseMetadata(n int) *int {
	asked := new(int)
	forge := func(req kmsg.Request) (kmsg.Response, error) {
		if _, ok := req.(*kmsg.MetadataRequest); !ok {
			return nil, nil
		}
		if *asked++; *asked <= n {
			return nil, errCut
		}
		return nil, nil
	}
	c.line.forge.Store(&forge)
	return asked
}

// G-487: followers leave the topics to the leader.
func TestOnlyTheLeaderWatchesTheTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		leader := g.hire(consumer.Config{Topics: []string{"a"}, MetadataMaxAge: time.Minute})
		leader.join()
		follower := g.hire(consumer.Config{Topics: []string{"a"}, MetadataMaxAge: time.Minute})
		byLeader, byFollower := leader.loseMetadata(0), follower.loseMetadata(0)
		if a := follower.join(); a.Leader {
			t.Fatal("the newcomer leads")
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if *byLeader < 9 || *byFollower != 0 {
			t.Errorf("the leader asked %d times, the follower %d times", *byLeader, *byFollower)
		}
	})
}

// G-512.
func TestLossIsARevocationForWhoDoesNotTellThemApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		var line line
		var revoked []consumer.TopicPartition
		c, err := consumer.New(tapped{g.transport, &line}, consumer.Config{
			Topics:    []string{"a"},
			Member:    client.Config{Group: "g"},
			OnRevoked: func(_ context.Context, partitions []consumer.TopicPartition) { revoked = partitions },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		if _, err := c.Join(t.Context()).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		line.cut.Store(true)
		time.Sleep(2 * time.Minute)
		line.cut.Store(false)
		settle()
		if !slices.Equal(revoked, []consumer.TopicPartition{at("a", 0)}) {
			t.Errorf("revoked %v", revoked)
		}
	})
}
