package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/coordinator"
)

// ground is where a test takes place: a coordinator of some make, with topics.
type ground struct {
	*testing.T
	transport client.Transport
	// create makes a topic, or gives it more partitions.
	create func(topic string, partitions int32)
	// produce adds so many records to a partition; nil where there are no logs.
	produce func(topic string, partition int32, records int)
}

// onBothGrounds runs a test in a synctest bubble over our coordinator in process, and over franz-go's fake cluster with
// its own group coordinator, reached through kgo.
func onBothGrounds(t *testing.T, test func(g *ground)) {
	t.Helper()
	t.Run("in process", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(inProcess(t)) })
	})
	t.Run("kgo and kfake", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(overKgo(t)) })
	})
}

// topics are the topics of a coordinator in process, which change.
type topics struct {
	mu sync.Mutex
	of map[string]int32
}

func (s *topics) Topic(name string) (coordinator.Topic, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	partitions, ok := s.of[name]
	return coordinator.Topic{Name: name, Partitions: partitions}, ok
}

func (s *topics) TopicByID([16]byte) (coordinator.Topic, bool) { return coordinator.Topic{}, false }

func (s *topics) All() iter.Seq[coordinator.Topic] { return func(func(coordinator.Topic) bool) {} }

func inProcess(t *testing.T) *ground {
	all := &topics{of: make(map[string]int32)}
	c, err := coordinator.New(t.Context(), coordinator.Config{Topics: all})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &ground{T: t, transport: c, create: func(topic string, partitions int32) {
		all.mu.Lock()
		defer all.mu.Unlock()
		all.of[topic] = partitions
	}}
}

func overKgo(t *testing.T) *ground {
	network := new(kfake.VirtualNetwork)
	c, err := kfake.NewCluster(kfake.Ports(9092, 9093, 9094), kfake.ListenFn(network.Listen))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	opts := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(network.DialContext)}
	transport, err := kgotransport.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	client := func(more ...kgo.Opt) *kgo.Client {
		t.Helper()
		cl, err := kgo.NewClient(append(more, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		return cl
	}
	g := &ground{T: t, transport: transport}
	g.produce = func(topic string, partition int32, records int) {
		t.Helper()
		cl := client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
		defer cl.Close()
		produce(t.Context(), t, cl, topic, partition, records)
	}
	g.create = func(topic string, partitions int32) {
		t.Helper()
		cl := client()
		defer cl.Close()
		created := kmsg.NewCreateTopicsRequestTopic()
		created.Topic, created.NumPartitions, created.ReplicationFactor = topic, partitions, 1
		create := kmsg.NewPtrCreateTopicsRequest()
		create.Topics = append(create.Topics, created)
		grown := kmsg.NewCreatePartitionsRequestTopic()
		grown.Topic, grown.Count = topic, partitions
		grow := kmsg.NewPtrCreatePartitionsRequest()
		grow.Topics = append(grow.Topics, grown)
		for _, req := range []kmsg.Request{create, grow} { // of which one fails
			if _, err := cl.Request(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
	}
	return g
}

// produce adds records to a partition, by a client that leaves the choice of it to whoever produces.
func produce(ctx context.Context, t *testing.T, cl *kgo.Client, topic string, partition int32, records int) {
	t.Helper()
	list := make([]*kgo.Record, records)
	for i := range list {
		list[i] = &kgo.Record{Topic: topic, Partition: partition, Value: []byte("record")}
	}
	if err := cl.ProduceSync(ctx, list...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// crew is a consumer with a diary of its callbacks, and an off switch.
type crew struct {
	*consumer.Consumer
	g     *ground
	mu    sync.Mutex
	diary []string
	line  line
}

// hire starts a consumer of group g. Its callbacks are written down, then passed to those of cfg.
func (g *ground) hire(cfg consumer.Config) *crew {
	g.Helper()
	c := &crew{g: g}
	cfg.Member.Group = "g"
	note := func(word string, then func(context.Context, []consumer.TopicPartition)) func(context.Context, []consumer.TopicPartition) {
		return func(ctx context.Context, partitions []consumer.TopicPartition) {
			c.mu.Lock()
			c.diary = append(c.diary, fmt.Sprintf("%s %v", word, partitions))
			c.mu.Unlock()
			if then != nil {
				then(ctx, partitions)
			}
		}
	}
	cfg.OnAssigned = note("assigned", cfg.OnAssigned)
	cfg.OnRevoked = note("revoked", cfg.OnRevoked)
	cfg.OnLost = note("lost", cfg.OnLost)
	hired, err := consumer.New(tapped{g.transport, &c.line}, cfg)
	if err != nil {
		g.Fatal(err)
	}
	c.Consumer = hired
	g.Cleanup(func() { _ = hired.Close(context.Background()) })
	return c
}

func (c *crew) read() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.diary)
}

func (c *crew) wantDiary(want ...string) {
	c.g.Helper()
	if got := c.read(); !slices.Equal(got, want) {
		c.g.Errorf("diary is\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// join joins and waits for the assignment.
func (c *crew) join() consumer.Assignment {
	c.g.Helper()
	a, err := c.Join(c.g.Context()).Wait(c.g.Context())
	if err != nil {
		c.g.Fatalf("join: %v", err)
	}
	return a
}

// kill cuts the consumer off: nothing it sends arrives any more.
func (c *crew) kill() { c.line.cut.Store(true) }

// line is what lies between a consumer and its coordinator.
type line struct {
	cut atomic.Bool // nothing that the consumer sends arrives
	// forge, if there is one, may answer in the coordinator's place, or lose the request.
	forge atomic.Pointer[func(req kmsg.Request) (kmsg.Response, error)]
	// spoil, if there is one, gets what the coordinator has answered, and may lose it or answer something else.
	spoil atomic.Pointer[func(resp kmsg.Response) (kmsg.Response, error)]
}

// tapped is a transport with a line of our own.
type tapped struct {
	client.Transport
	line *line
}

func (t tapped) Open(ctx context.Context, id client.Identity) (client.Session, error) {
	s, err := t.Transport.Open(ctx, id)
	return tappedSession{s, t.line}, err
}

type tappedSession struct {
	client.Session
	line *line
}

var errCut = errors.New("the line is cut")

func (s tappedSession) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if s.line.cut.Load() {
		return nil, errCut
	}
	if forge := s.line.forge.Load(); forge != nil {
		if resp, err := (*forge)(req); resp != nil || err != nil {
			return resp, err
		}
	}
	resp, err := s.Session.Request(ctx, req)
	if spoil := s.line.spoil.Load(); spoil != nil && err == nil {
		return (*spoil)(resp)
	}
	return resp, err
}

// wantShared checks that everyone is in the same generation, and that each partition has exactly one owner.
func (g *ground) wantShared(all map[string]int32, consumers ...*crew) {
	g.Helper()
	owners := make(map[consumer.TopicPartition]int)
	generations := make(map[int32]bool)
	for _, c := range consumers {
		a := c.Assignment()
		generations[a.Generation.ID] = true
		for _, p := range a.Partitions {
			owners[p]++
		}
		if !slices.IsSortedFunc(a.Partitions, byTopicThenNumber) {
			g.Errorf("assignment is not sorted: %v", a.Partitions)
		}
	}
	if len(generations) != 1 {
		g.Errorf("the consumers are in generations %v", slices.Sorted(maps.Keys(generations)))
	}
	total := 0
	for topic, partitions := range all {
		for p := range partitions {
			total++
			if at := (consumer.TopicPartition{Topic: topic, Partition: p}); owners[at] != 1 {
				g.Errorf("%v has %d owners", at, owners[at])
			}
		}
	}
	if len(owners) != total {
		g.Errorf("%d partitions are owned, want %d", len(owners), total)
	}
}

func byTopicThenNumber(a, b consumer.TopicPartition) int {
	if c := strings.Compare(a.Topic, b.Topic); c != 0 {
		return c
	}
	return int(a.Partition - b.Partition)
}

func wantErr(t testing.TB, err, target error, words ...string) {
	t.Helper()
	if err == nil || target != nil && !errors.Is(err, target) {
		t.Fatalf("error is %v, want %v", err, target)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not mention %q", err, word)
		}
	}
}

func at(topic string, partition int32) consumer.TopicPartition {
	return consumer.TopicPartition{Topic: topic, Partition: partition}
}

// settle lets the group come to rest.
func settle() {
	time.Sleep(20 * time.Second)
	synctest.Wait()
}
