package consumer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

var (
	firstSeed = flag.Uint64("seed", 1, "the first seed of the random schedules")
	seeds     = flag.Uint64("seeds", 5, "how many seeds to try")
)

// ledger holds the callbacks of all consumers against each other: each partition is assigned and given up in turn, and has
// one owner at most.
type ledger struct {
	*ground
	all    map[string]int32
	grown  bool // some topic has since all was well
	living []*clerk
	gone   []*clerk

	mu    sync.Mutex
	dice  *rand.Rand
	owner map[consumer.TopicPartition]*clerk
}

// clerk is a consumer in the ledger.
type clerk struct {
	*crew
	l              *ledger
	name, instance string
	has            map[consumer.TopicPartition]bool // by what it is told; under the ledger's lock
	deaf           atomic.Bool                      // it cannot know what it has lost
	trap           atomic.Bool                      // its next callback panics
	fault          atomic.Pointer[fault]
}

// fault is something that goes wrong with one request of a kind.
type fault struct {
	api     kmsg.Key
	arrives bool               // and the answer is lost, or, of a SyncGroup, somebody else's
	code    protocol.ErrorCode // of the answer; none if there is no answer
}

var faults = []fault{
	{kmsg.JoinGroup, true, 0}, {kmsg.JoinGroup, false, 0}, {kmsg.JoinGroup, false, protocol.UnknownMemberID},
	{kmsg.JoinGroup, false, protocol.RebalanceInProgress}, {kmsg.JoinGroup, false, protocol.NotCoordinator},
	{kmsg.JoinGroup, false, protocol.MemberIDRequired}, {kmsg.JoinGroup, false, protocol.FencedInstanceID},
	{kmsg.SyncGroup, true, 0}, {kmsg.SyncGroup, false, 0}, {kmsg.SyncGroup, false, protocol.UnknownMemberID},
	{kmsg.SyncGroup, false, protocol.RebalanceInProgress}, {kmsg.SyncGroup, false, protocol.IllegalGeneration},
	{kmsg.SyncGroup, false, protocol.FencedInstanceID},
	{kmsg.SyncGroup, true, protocol.UnknownServerError}, // which is not that of the answer
	{kmsg.Heartbeat, false, protocol.RebalanceInProgress}, {kmsg.Heartbeat, false, protocol.IllegalGeneration},
	{kmsg.Heartbeat, false, protocol.UnknownMemberID}, {kmsg.Heartbeat, false, protocol.FencedInstanceID},
	{kmsg.OffsetCommit, false, protocol.UnknownMemberID}, {kmsg.OffsetCommit, false, protocol.FencedInstanceID},
}

// Consumers come, go, are cut off, replaced, thrown out, refused and misled at random, and some panic: cooperative ones, and
// ones that are still eager, as in the middle of a rolling upgrade; dynamic and static. Whatever happens, each partition is
// assigned and given up in turn and has one owner at most, and what a consumer owns is what it was told. In the end all is
// shared.
func TestCallbacksBalance(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &ledger{
					ground: inProcess(t), all: map[string]int32{"a": 12, "b": 5}, dice: rand.New(rand.NewPCG(seed, 0)),
					owner: make(map[consumer.TopicPartition]*clerk),
				}
				for topic, partitions := range l.all {
					l.create(topic, partitions)
				}
				for range 3 {
					for range 25 {
						l.mishap()
						time.Sleep(l.upTo(6 * time.Second))
					}
					l.rest()
				}
				for len(l.living) > 0 {
					l.dismiss(l.living[0])
				}
				l.rest()
			})
		})
	}
}

// mishap is one thing that happens.
func (l *ledger) mishap() {
	l.bury()
	if len(l.living) < 3 {
		l.engage("")
		return
	}
	c := l.living[l.n(len(l.living))]
	switch l.n(10) {
	case 0:
		l.engage("")
	case 1:
		l.engage(fmt.Sprint("instance-", l.n(3)))
	case 2:
		l.dismiss(c)
	case 3: // it dies; if it is static, it may start again
		c.kill()
		l.dismiss(c)
		if l.n(2) == 0 {
			l.engage(c.instance)
		}
	case 4:
		c.deaf.Store(true)
		c.kill()
		time.AfterFunc(l.upTo(25*time.Second), func() { c.line.cut.Store(false) })
	case 5:
		c.Rejoin("")
	case 6, 7:
		f := faults[l.n(len(faults))]
		c.fault.Store(&f)
		c.Rejoin("")
	case 8:
		topic := []string{"a", "b"}[l.n(2)]
		l.all[topic]++
		l.create(topic, l.all[topic])
		l.grown = true
	case 9:
		c.trap.Store(l.n(3) == 0)
	}
}

// engage makes a consumer join. It takes the place of who has the same instance id.
func (l *ledger) engage(instance string) {
	name := fmt.Sprint("clerk-", len(l.living)+len(l.gone))
	c := &clerk{l: l, name: name, instance: instance, has: make(map[consumer.TopicPartition]bool)}
	for _, other := range slices.Concat(l.living, l.gone) {
		if instance != "" && other.instance == instance {
			other.deaf.Store(true)
			other.fault.Store(nil) // it must not come back
		}
	}
	cfg := consumer.Config{Topics: slices.Sorted(maps.Keys(l.all)), Assignors: []assignor.Assignor{assignor.CooperativeSticky{}}}
	if l.n(4) == 0 {
		cfg.Assignors = append(cfg.Assignors, assignor.Range{})
	}
	cfg.Member = client.Config{ClientID: c.name, InstanceID: instance, SessionTimeout: 10 * time.Second,
		HeartbeatInterval: time.Second, RebalanceTimeout: 30 * time.Second}
	cfg.MetadataMaxAge = 20 * time.Second
	cfg.OnAssigned, cfg.OnRevoked, cfg.OnLost = c.assigned, c.revoked, c.lost
	c.crew = l.hire(cfg)
	forge, spoil := c.forge, c.spoil
	c.line.forge.Store(&forge)
	c.line.spoil.Store(&spoil)
	c.Join(context.Background())
	l.living = append(l.living, c)
}

// dismiss makes a consumer leave.
func (l *ledger) dismiss(c *clerk) {
	go c.Close(context.Background())
	l.living = slices.DeleteFunc(l.living, func(other *clerk) bool { return other == c })
	l.gone = append(l.gone, c)
}

// bury takes out those who have ended by themselves.
func (l *ledger) bury() {
	for _, c := range slices.Clone(l.living) {
		if c.ended() {
			if err := c.Err(); !errors.Is(err, protocol.FencedInstanceID) && !strings.Contains(err.Error(), "trap") {
				l.Errorf("%s has ended: %v", c.name, err)
			}
			l.dismiss(c)
		}
	}
}

func (c *clerk) ended() bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// rest waits until all is well, and looks who owns what.
func (l *ledger) rest() {
	l.Helper()
	for _, c := range l.living {
		c.line.cut.Store(false)
		c.fault.Store(nil)
		c.trap.Store(false)
	}
	if l.grown && len(l.living) > 0 { // a leader that was replaced meanwhile takes its topics to be as they were (G-500)
		l.living[0].Rejoin("")
		l.grown = false
	}
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	l.bury()
	crews := make([]*crew, len(l.living))
	for i, c := range l.living {
		crews[i] = c.crew
		c.balance("at rest", c.Assignment().Partitions)
	}
	if len(crews) > 0 {
		l.wantShared(l.all, crews...)
	}
	for _, c := range l.gone {
		if a := c.Assignment(); !c.ended() || len(c.has) > 0 || len(a.Partitions) > 0 || a.Generation.ID != -1 {
			l.Errorf("%s is over, %v, with %v, and its assignment is %+v", c.name, c.ended(), c.has, a)
		}
	}
}

func (l *ledger) n(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dice.IntN(n)
}

func (l *ledger) upTo(most time.Duration) time.Duration { return time.Duration(1 + l.n(int(most))) }

// assigned, revoked and lost are the callbacks.
func (c *clerk) assigned(ctx context.Context, partitions []consumer.TopicPartition) {
	if !c.line.cut.Load() {
		c.deaf.Store(false)
	}
	c.l.mu.Lock()
	for _, p := range partitions {
		if c.has[p] {
			c.l.Errorf("%s is assigned %v twice", c.name, p)
		}
		if other := c.l.owner[p]; other != nil && !other.deaf.Load() {
			c.l.Errorf("%s is assigned %v, which %s owns", c.name, p, other.name)
		}
		c.has[p], c.l.owner[p] = true, c
	}
	c.l.mu.Unlock()
	c.balance("when assigned", c.Assignment().Partitions)
	_ = c.commitAll(ctx)
	c.spring()
}

func (c *clerk) revoked(ctx context.Context, partitions []consumer.TopicPartition) {
	c.givesUp("revoked", partitions)
	defer c.givenUp(partitions)
	fenced := func(err error) bool {
		return errors.Is(err, consumer.ErrCommitFailed) || errors.Is(err, protocol.FencedInstanceID)
	}
	if err := c.commitAll(ctx); err != nil && !fenced(err) && !errors.Is(err, errCut) {
		c.l.Errorf("%s commits what is revoked: %v", c.name, err)
	}
	time.Sleep(c.l.upTo(2 * time.Second))
	c.spring()
}

func (c *clerk) lost(ctx context.Context, partitions []consumer.TopicPartition) {
	c.givesUp("lost", partitions)
	defer c.givenUp(partitions)
	if err := c.commitAll(ctx); !errors.Is(err, consumer.ErrCommitFailed) && !errors.Is(err, consumer.ErrRebalanceInProgress) {
		c.l.Errorf("%s commits what is lost: %v", c.name, err)
	}
	c.spring()
}

func (c *clerk) givesUp(word string, partitions []consumer.TopicPartition) {
	c.balance("when "+word, c.Assignment().Partitions)
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	for _, p := range partitions {
		if !c.has[p] {
			c.l.Errorf("%s is %s %v, which it does not own", c.name, word, p)
		}
	}
}

func (c *clerk) givenUp(partitions []consumer.TopicPartition) {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	for _, p := range partitions {
		delete(c.has, p)
		if c.l.owner[p] == c {
			delete(c.l.owner, p)
		}
	}
}

func (c *clerk) commitAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return c.Commit(ctx, map[consumer.TopicPartition]consumer.Offset{at("a", 0): {At: 1}})
}

// spring is the end of a callback: some make the group rebalance, some panic.
func (c *clerk) spring() {
	if c.l.n(10) == 0 {
		c.Rejoin("")
	}
	if c.trap.CompareAndSwap(true, false) {
		panic("trap")
	}
}

// balance checks that the consumer owns what it has been told.
func (c *clerk) balance(when string, owned []consumer.TopicPartition) {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if told := slices.SortedFunc(maps.Keys(c.has), byTopicThenNumber); !slices.Equal(owned, told) {
		c.l.Errorf("%s owns %v %s, and was told %v", c.name, owned, when, told)
	}
}

// forge looks at what the consumer claims, and answers in the coordinator's place.
func (c *clerk) forge(req kmsg.Request) (kmsg.Response, error) {
	if join, ok := req.(*kmsg.JoinGroupRequest); ok {
		subscription, err := protocol.DecodeSubscription(join.Protocols[0].Metadata)
		if err != nil {
			return nil, err
		}
		var claimed []consumer.TopicPartition
		for _, topic := range subscription.Owned {
			for _, p := range topic.Partitions {
				claimed = append(claimed, at(topic.Topic, p))
			}
		}
		c.balance("as it claims", claimed)
	}
	f := c.fault.Load()
	if f == nil || f.arrives || req.Key() != f.api.Int16() || !c.fault.CompareAndSwap(f, nil) {
		return nil, nil
	}
	if f.code == protocol.None {
		return nil, errCut
	}
	return refused(req, f.code), nil
}

// spoil loses what the coordinator has answered, or makes it a foreign assignment.
func (c *clerk) spoil(resp kmsg.Response) (kmsg.Response, error) {
	f := c.fault.Load()
	if f == nil || !f.arrives || resp.Key() != f.api.Int16() || !c.fault.CompareAndSwap(f, nil) {
		return resp, nil
	}
	if f.code == protocol.None {
		return nil, errCut
	}
	resp.(*kmsg.SyncGroupResponse).MemberAssignment = encode(protocol.TopicPartitions{Topic: "foreign", Partitions: []int32{0}})
	return resp, nil
}
