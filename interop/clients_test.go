package interop_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// A member is a consumer of some make, with the range assignor, that starts a partition without a committed offset at its
// beginning and commits what it has read, at the latest when it leaves.
type member interface {
	// await returns when done is true of the values that the member has read so far, sorted; an error if it has ended.
	await(ctx context.Context, done func(values []string) bool) error

	// leave leaves the group in the way that the client's users do it, and returns when that is done.
	leave() error
}

// A start starts a member of a make.
type start func(t *testing.T, addr, group, clientID string) member

var makes = map[string]start{"kgo": startKgo, "sarama": startSarama, "kcat": startKcat, "java": startJava}

// values collects what a member of this process reads.
type values struct {
	mu      sync.Mutex
	read    []string
	changed chan struct{}
}

func newValues() *values { return &values{changed: make(chan struct{})} }

func (v *values) add(value string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.read = append(v.read, value)
	close(v.changed)
	v.changed = make(chan struct{})
}

func (v *values) await(ctx context.Context, done func([]string) bool) error {
	for {
		v.mu.Lock()
		read, changed := slices.Clone(v.read), v.changed
		v.mu.Unlock()
		slices.Sort(read)
		if done(read) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errors.New("has read " + strings.Join(read, " "))
		}
	}
}

// kgoMember is one of franz-go's client.
type kgoMember struct {
	*values
	client *kgo.Client
	ended  chan struct{}
}

func startKgo(t *testing.T, addr, group, clientID string) member {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ClientID(clientID),
		kgo.Balancers(kgo.RangeBalancer()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.HeartbeatInterval(300*time.Millisecond), kgo.SessionTimeout(6*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	m := &kgoMember{values: newValues(), client: client, ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		for {
			fetches := client.PollFetches(context.Background())
			if fetches.IsClientClosed() {
				return
			}
			fetches.EachRecord(func(r *kgo.Record) { m.add(string(r.Value)) })
		}
	}()
	t.Cleanup(client.Close)
	return m
}

func (m *kgoMember) leave() error {
	err := m.client.CommitUncommittedOffsets(context.Background())
	m.client.Close()
	<-m.ended
	return err
}

// saramaMember is one of Sarama's consumer group.
type saramaMember struct {
	*values
	cancel context.CancelFunc
	ended  chan error
}

func startSarama(t *testing.T, addr, group, clientID string) member {
	config := sarama.NewConfig()
	config.Version = sarama.V3_6_0_0
	config.ClientID = clientID
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{sarama.NewBalanceStrategyRange()}
	config.Consumer.Group.Heartbeat.Interval = 300 * time.Millisecond
	consumers, err := sarama.NewConsumerGroup([]string{addr}, group, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &saramaMember{values: newValues(), cancel: cancel, ended: make(chan error, 1)}
	go func() {
		var err error
		for ctx.Err() == nil && err == nil { // one session for each generation
			err = consumers.Consume(ctx, []string{topic}, m)
		}
		m.ended <- errors.Join(err, consumers.Close())
	}()
	t.Cleanup(cancel)
	return m
}

func (m *saramaMember) leave() error {
	m.cancel()
	return <-m.ended
}

// Setup implements sarama.ConsumerGroupHandler.
func (m *saramaMember) Setup(sarama.ConsumerGroupSession) error { return nil }

// Cleanup implements sarama.ConsumerGroupHandler.
func (m *saramaMember) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim implements sarama.ConsumerGroupHandler.
func (m *saramaMember) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		m.add(string(message.Value))
		session.MarkMessage(message, "")
	}
	return nil
}

// kcatMember is a process of kcat, which is built on librdkafka.
type kcatMember struct {
	*values
	program *kafkatest.Program
}

// installed finds a program that a package of Debian has.
func installed(t *testing.T, program, debian string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("JOINSYNC_REQUIRE_KAFKA") == "1" {
			t.Fatalf("JOINSYNC_REQUIRE_KAFKA=1, but %v; install it (Debian: apt-get install %s)", err, debian)
		}
		t.Skipf("%v; install it (Debian: apt-get install %s)", err, debian)
	}
	return path
}

func startKcat(t *testing.T, addr, group, clientID string) member {
	path := installed(t, "kcat", "kcat")
	m := &kcatMember{values: newValues(), program: kafkatest.StartProgram(t, path, "-b", addr, "-G", group, "-u", "-f", "%s\n",
		"-X", "client.id="+clientID, "-X", "auto.offset.reset=earliest", "-X", "partition.assignment.strategy=range",
		"-X", "session.timeout.ms=6000", "-X", "heartbeat.interval.ms=300", topic)}
	go func() {
		for lines := bufio.NewScanner(m.program.Stdout); lines.Scan(); {
			m.add(lines.Text())
		}
	}()
	return m
}

func (m *kcatMember) leave() error { return m.program.Stop() }

// javaMember is a process of Kafka's own console consumer.
type javaMember struct{ *kafkatest.Consumer }

func startJava(t *testing.T, addr, group, clientID string) member {
	return javaMember{kafkatest.StartConsumer(t, kafkatest.ConsumerConfig{
		Addr: addr, Group: group, Topic: topic, ClientID: clientID, SessionTimeout: 6 * time.Second,
		Properties: map[string]string{"heartbeat.interval.ms": "300"},
	})}
}

func (m javaMember) await(ctx context.Context, done func([]string) bool) error {
	_, err := m.AwaitRecords(ctx, func(records []kafkatest.Record) bool {
		var values []string
		for _, r := range records {
			values = append(values, r.Value)
		}
		slices.Sort(values)
		return done(values)
	})
	return err
}

func (m javaMember) leave() error { return m.Leave() }
