package consumer_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

type offsets = map[consumer.TopicPartition]consumer.Offset

func (g *ground) wantCommitted(c *crew, want offsets, partitions ...consumer.TopicPartition) {
	g.Helper()
	got, err := c.Committed(g.Context(), partitions...)
	if err != nil || !maps.Equal(got, want) {
		g.Errorf("committed are %v, %v, want %v", got, err, want)
	}
}

// Committing nothing is success (G-517).
func TestCommittedOffsetsAreReadBack(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 2)
		g.create("b", 1)
		c := g.hire(consumer.Config{Topics: []string{"a", "b"}})
		c.join()
		done := offsets{at("a", 1): {At: 7, LeaderEpoch: 3, Metadata: "by hand"}, at("b", 0): {}}
		if err := c.Commit(g.Context(), done); err != nil {
			g.Fatal(err)
		}
		g.wantCommitted(c, done, at("a", 0), at("a", 1), at("b", 0))
		g.wantCommitted(c, offsets{})
		if err := c.Commit(g.Context(), nil); err != nil {
			g.Error(err)
		}
	})
}

// The last commit of an owner is made as it gives its partitions up, and the next one starts there.
func TestCommitDuringRevocationCounts(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 1)
		var first *crew
		var errs []error
		position := int64(0)
		first = g.hire(consumer.Config{Topics: []string{"a"}, OnRevoked: func(ctx context.Context, owned []consumer.TopicPartition) {
			position++
			errs = append(errs, first.Commit(ctx, offsets{owned[0]: {At: position}}))
		}})
		first.join()
		second := g.hire(consumer.Config{Topics: []string{"a"}})
		second.join()
		g.wantCommitted(second, offsets{at("a", 0): {At: 1}}, at("a", 0))
		settle()
		if err := second.Close(g.Context()); err != nil {
			g.Error(err)
		}
		settle()
		if err := first.Close(g.Context()); err != nil {
			g.Error(err)
		}
		last := g.hire(consumer.Config{Topics: []string{"a"}})
		last.join()
		if position == 1 {
			g.Error("nothing was revoked on leaving")
		}
		g.wantCommitted(last, offsets{at("a", 0): {At: position}}, at("a", 0))
		if err := errors.Join(errs...); err != nil {
			g.Error(err)
		}
	})
}

// A member that was away too long must not overwrite what its successor has committed.
func TestCommitOfAnExpiredGenerationIsRefused(t *testing.T) {
	onBothGrounds(t, func(g *ground) {
		g.create("a", 1)
		zombie := g.hire(consumer.Config{Topics: []string{"a"}})
		zombie.join()
		zombie.line.cut.Store(true)
		heir := g.hire(consumer.Config{Topics: []string{"a"}})
		heir.join() // once the zombie's session has expired
		if err := heir.Commit(g.Context(), offsets{at("a", 0): {At: 10}}); err != nil {
			g.Fatal(err)
		}
		zombie.line.cut.Store(false)
		wantErr(g, zombie.Commit(g.Context(), offsets{at("a", 0): {At: 5}}), consumer.ErrCommitFailed, `group "g"`)
		g.wantCommitted(heir, offsets{at("a", 0): {At: 10}}, at("a", 0))
	})
}

// G-515.
func TestCommitOutsideAGenerationSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		one := offsets{at("a", 0): {At: 1}}
		wantErr(t, c.Commit(t.Context(), one), consumer.ErrCommitFailed)
		future := c.Join(t.Context())
		synctest.Wait() // parked for the initial rebalance delay
		wantErr(t, c.Commit(t.Context(), one), consumer.ErrRebalanceInProgress)
		if _, err := future.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantErr(t, c.Commit(t.Context(), offsets{at("a", 0): {At: -1}, at("b", 3): {At: -5}}), nil,
			"offset of a-0 is -1", "offset of b-3 is -5", "0 at least") // G-516
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wantErr(t, c.Commit(t.Context(), one), consumer.ErrCommitFailed)
		_, err := c.Committed(t.Context(), at("a", 0))
		wantErr(t, err, client.ErrClosed)
	})
}

// forgeCommit answers the next commit with a code.
func (c *crew) forgeCommit(codes ...protocol.ErrorCode) {
	forge := func(req kmsg.Request) (kmsg.Response, error) {
		commit, ok := req.(*kmsg.OffsetCommitRequest)
		if !ok || len(codes) == 0 {
			return nil, nil
		}
		resp := kmsg.NewPtrOffsetCommitResponse()
		for _, topic := range commit.Topics {
			t := kmsg.NewOffsetCommitResponseTopic()
			t.Topic = topic.Topic
			for _, partition := range topic.Partitions {
				p := kmsg.NewOffsetCommitResponseTopicPartition()
				p.Partition, p.ErrorCode = partition.Partition, int16(codes[0])
				t.Partitions = append(t.Partitions, p)
			}
			resp.Topics = append(resp.Topics, t)
		}
		codes = codes[1:]
		return resp, nil
	}
	c.line.forge.Store(&forge)
}

// G-470, row by row, and the pauses between attempts (G-518).
func TestCommitErrors(t *testing.T) {
	retried := []protocol.ErrorCode{protocol.CoordinatorLoadInProgress, protocol.UnknownTopicOrPartition,
		protocol.CoordinatorNotAvailable, protocol.NotCoordinator, protocol.RequestTimedOut}
	raised := []protocol.ErrorCode{protocol.GroupAuthorizationFailed, protocol.OffsetMetadataTooLarge,
		protocol.InvalidCommitOffsetSize, protocol.GroupIDNotFound, protocol.StaleMemberEpoch, protocol.UnknownServerError, 12345}
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 2)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		c.join()
		two := offsets{at("a", 0): {At: 1}, at("a", 1): {At: 1}}
		for _, code := range retried {
			began := time.Now()
			c.forgeCommit(code, code, code)
			if err := c.Commit(t.Context(), two); err != nil || time.Since(began) != 700*time.Millisecond {
				t.Errorf("%v: %v after %v", code, err, time.Since(began))
			}
		}
		for _, code := range raised {
			c.forgeCommit(code)
			wantErr(t, c.Commit(t.Context(), two), code, `group "g"`, "a-0", code.String())
		}
		c.forgeCommit(protocol.TopicAuthorizationFailed)
		wantErr(t, c.Commit(t.Context(), two), protocol.TopicAuthorizationFailed, "topics a:")

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := c.Commit(ctx, offsets{at("nowhere", 0): {At: 1}})
		wantErr(t, err, context.DeadlineExceeded, "nowhere-0", "UNKNOWN_TOPIC_OR_PARTITION")
		c.wantDiary("assigned [a-0 a-1]")
	})
}

// G-470: what says that the generation has ended makes the consumer join again.
func TestCommitErrorsThatEndTheGeneration(t *testing.T) {
	for code, tt := range map[protocol.ErrorCode]struct {
		target error
		diary  string
		sameID bool
	}{
		protocol.RebalanceInProgress: {consumer.ErrRebalanceInProgress, "revoked [a-0]", true},
		protocol.IllegalGeneration:   {consumer.ErrCommitFailed, "lost [a-0]", true},
		protocol.UnknownMemberID:     {consumer.ErrCommitFailed, "lost [a-0]", false},
	} {
		t.Run(code.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := inProcess(t)
				g.create("a", 1)
				c := g.hire(consumer.Config{Topics: []string{"a"}})
				before := c.join()
				c.forgeCommit(code)
				wantErr(t, c.Commit(t.Context(), offsets{at("a", 0): {At: 1}}), tt.target)
				after := c.join()
				if same := after.Generation.MemberID == before.Generation.MemberID; same != tt.sameID {
					t.Errorf("joined as %+v after %+v", after.Generation, before.Generation)
				}
				c.wantDiary("assigned [a-0]", tt.diary, "assigned [a-0]")
			})
		})
	}
}

// An answer that comes when the next generation has begun fails the commit and says nothing about that generation.
func TestLateRefusalOfACommitDoesNotDisturb(t *testing.T) {
	for _, code := range []protocol.ErrorCode{protocol.UnknownMemberID, protocol.IllegalGeneration, protocol.FencedInstanceID} {
		synctest.Test(t, func(t *testing.T) {
			g := inProcess(t)
			g.create("a", 1)
			c := g.hire(consumer.Config{Topics: []string{"a"}})
			c.join()
			c.forgeCommit(code)
			forged := *c.line.forge.Load()
			late := func(req kmsg.Request) (kmsg.Response, error) {
				if _, ok := req.(*kmsg.OffsetCommitRequest); ok {
					c.Rejoin("")
					time.Sleep(time.Second)
				}
				return forged(req)
			}
			c.line.forge.Store(&late)
			wantErr(t, c.Commit(t.Context(), offsets{at("a", 0): {At: 1}}), consumer.ErrCommitFailed)
			settle()
			if state, generation := c.Standing(); state != client.Stable || generation.ID != 2 {
				t.Errorf("the consumer is %v in %+v", state, generation)
			}
		})
	}
}

// A commit that is retried is not repeated in the next generation, where the partitions may be another's.
func TestRetriedCommitEndsWithItsGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		c.join()
		c.forgeCommit(protocol.CoordinatorLoadInProgress, protocol.CoordinatorLoadInProgress)
		time.AfterFunc(50*time.Millisecond, func() { c.Rejoin("") })
		wantErr(t, c.Commit(t.Context(), offsets{at("a", 0): {At: 1}}), consumer.ErrCommitFailed)
		g.wantCommitted(c, offsets{}, at("a", 0))
	})
}

func TestCommitOfAFencedConsumerEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		c := g.hire(consumer.Config{Topics: []string{"a"}, Member: client.Config{InstanceID: "i"}})
		c.join()
		c.forgeCommit(protocol.FencedInstanceID)
		wantErr(t, c.Commit(t.Context(), offsets{at("a", 0): {At: 1}}), protocol.FencedInstanceID, `InstanceID is "i"`)
		<-c.Done()
		wantErr(t, c.Err(), protocol.FencedInstanceID, `InstanceID is "i"`)
		c.wantDiary("assigned [a-0]", "lost [a-0]")
	})
}

// G-471, row by row, for errors of the group and of a partition.
func TestFetchErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		c := g.hire(consumer.Config{Topics: []string{"a"}})
		g.wantCommitted(c, offsets{}, at("a", 0)) // it need not have joined
		for _, row := range []struct {
			group, partition protocol.ErrorCode
			retried          bool
		}{
			{group: protocol.CoordinatorNotAvailable, retried: true},
			{group: protocol.NotCoordinator, retried: true},
			{group: protocol.CoordinatorLoadInProgress, retried: true},
			{group: protocol.GroupAuthorizationFailed},
			{group: protocol.InvalidGroupID},
			{partition: protocol.UnstableOffsetCommit, retried: true},
			{partition: protocol.UnknownTopicOrPartition},
			{partition: protocol.TopicAuthorizationFailed},
			{partition: protocol.UnknownServerError},
		} {
			for _, old := range []bool{false, true} {
				once := true
				forge := func(req kmsg.Request) (kmsg.Response, error) {
					fetch, ok := req.(*kmsg.OffsetFetchRequest)
					if !ok || !once {
						return nil, nil
					}
					once = false
					if !fetch.RequireStable { // G-472
						t.Error("the fetch does not ask for stable offsets")
					}
					return fetchResponse(old, row.group, row.partition), nil
				}
				c.line.forge.Store(&forge)
				_, err := c.Committed(t.Context(), at("a", 0))
				switch {
				case row.retried && err != nil:
					t.Errorf("%+v: %v", row, err)
				case !row.retried:
					wantErr(t, err, cmp.Or(row.group, row.partition), `group "g"`)
				}
			}
		}
	})
}

// fetchResponse is an answer for partition 0 of topic a, in the form of v8 or of the versions before.
func fetchResponse(old bool, group, partition protocol.ErrorCode) kmsg.Response {
	resp := kmsg.NewPtrOffsetFetchResponse()
	if old {
		resp.ErrorCode = int16(group)
		p := kmsg.NewOffsetFetchResponseTopicPartition()
		p.ErrorCode = int16(partition)
		topic := kmsg.NewOffsetFetchResponseTopic()
		topic.Topic, topic.Partitions = "a", append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return resp
	}
	p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
	p.ErrorCode = int16(partition)
	topic := kmsg.NewOffsetFetchResponseGroupTopic()
	topic.Topic, topic.Partitions = "a", append(topic.Partitions, p)
	g := kmsg.NewOffsetFetchResponseGroup()
	g.ErrorCode, g.Topics = int16(group), append(g.Topics, topic)
	resp.Groups = append(resp.Groups, g)
	return resp
}
