package kafkatest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// ConsumerConfig describes a [Consumer].
type ConsumerConfig struct {
	Addr  string // of any broker of the cluster, Kafka or not; required
	Group string // required
	Topic string // required
	// ClientID is what the coordinator shows of the consumer. Empty means "java".
	ClientID string
	// SessionTimeout is how long a killed consumer stays a member. Heartbeats come three times as often. 0 means 3 s, and
	// not Kafka's 45 s, which no test wants to wait for.
	SessionTimeout time.Duration
	// Properties are consumer properties in addition to the driver's own, or instead of them: the classic protocol, the
	// range assignor, and the start of a partition when nothing is committed.
	Properties map[string]string
}

// A Consumer is Kafka's own console consumer of version 4.4.0, unmodified, in a process of its own. Its methods may be
// called concurrently.
type Consumer struct {
	name    string // for messages
	process *process

	mu      sync.Mutex
	records []Record
	changed chan struct{} // closed, and replaced, with every change of records and ended
	ended   error         // why no more records will come
}

// A Record is what a [Consumer] printed of one record.
type Record struct {
	Partition int32
	Offset    int64
	Value     string
}

// StartConsumer starts a consumer and returns at once; the consumer joins its group a second or two later ([AwaitGroup]).
// It ends with the test at the latest. Without Java or Maven, and with -short, the test is skipped.
func StartConsumer(t testing.TB, cfg ConsumerConfig) *Consumer {
	t.Helper()
	requireJars(t, clientVersion)
	consumer, err := startConsumer(cfg)
	if err != nil {
		t.Fatalf("start a java consumer: %v", err)
	}
	t.Cleanup(func() {
		consumer.process.report(t, consumer.name)
		consumer.process.release()
	})
	return consumer
}

func startConsumer(cfg ConsumerConfig) (*Consumer, error) {
	java, jars, err := JavaAndJars(clientVersion)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(jvmFlags), "-Xmx128m", "-cp", jars)
	args = append(args, cfg.commandLine()...)
	process, output, err := startPrinting("joinsync-consumer-", java, args...)
	if err != nil {
		return nil, err
	}
	consumer := &Consumer{
		name:    fmt.Sprintf("java consumer %s of group %s", cfg.clientID(), cfg.Group),
		process: process,
		changed: make(chan struct{}),
	}
	go consumer.read(output)
	return consumer, nil
}

// Records returns the records printed so far, in their order.
func (c *Consumer) Records() []Record {
	records, _, _ := c.state()
	return records
}

// AwaitRecords waits until done is true of the records printed so far, and returns them. It returns an error when ctx, or
// the consumer, ends first.
func (c *Consumer) AwaitRecords(ctx context.Context, done func([]Record) bool) ([]Record, error) {
	for {
		records, changed, ended := c.state()
		if done(records) {
			return records, nil
		}
		if ended != nil {
			return records, fmt.Errorf("%s after %d records: %w", c.name, len(records), ended)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return records, fmt.Errorf("%s after %d records: %w", c.name, len(records), ctx.Err())
		}
	}
}

// Leave stops the consumer with SIGTERM: it commits, leaves its group and ends. It is an error if it had to be killed
// after 20 s.
func (c *Consumer) Leave() error {
	if err := c.process.stop(stopGrace); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// Kill ends the consumer with SIGKILL. Its coordinator learns of it when the session expires.
func (c *Consumer) Kill() { c.process.kill() }

// commandLine returns Java's arguments from the class on.
func (cfg ConsumerConfig) commandLine() []string {
	session := cfg.SessionTimeout
	if session == 0 {
		session = 3 * time.Second
	}
	properties := map[string]string{
		"auto.offset.reset":             "earliest",
		"client.id":                     cfg.clientID(),
		"group.protocol":                "classic",
		"heartbeat.interval.ms":         strconv.FormatInt((session / 3).Milliseconds(), 10),
		"partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor",
		"session.timeout.ms":            strconv.FormatInt(session.Milliseconds(), 10),
	}
	maps.Copy(properties, cfg.Properties)
	args := []string{
		"org.apache.kafka.tools.consumer.ConsoleConsumer",
		"--bootstrap-server", cfg.Addr, "--group", cfg.Group, "--topic", cfg.Topic,
		"--formatter-property", "print.partition=true", "--formatter-property", "print.offset=true",
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		args = append(args, "--command-property", name+"="+properties[name])
	}
	return args
}

func (cfg ConsumerConfig) clientID() string {
	if cfg.ClientID == "" {
		return "java"
	}
	return cfg.ClientID
}

// read collects what the consumer prints, until it ends.
func (c *Consumer) read(output io.ReadCloser) {
	defer output.Close()
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		record, err := parseRecord(lines.Text())
		if err != nil {
			c.change(func() { c.ended = err })
			return
		}
		c.change(func() { c.records = append(c.records, record) })
	}
	<-c.process.done
	c.change(func() { c.ended = fmt.Errorf("the process has ended (%v)", c.process.err) })
}

// parseRecord reads one line of the console consumer's formatter: "Partition:0\tOffset:7\tvalue".
func parseRecord(line string) (Record, error) {
	fields := strings.SplitN(line, "\t", 3)
	if len(fields) != 3 {
		return Record{}, fmt.Errorf("not a record's line: %q", line)
	}
	partition, err := strconv.ParseInt(strings.TrimPrefix(fields[0], "Partition:"), 10, 32)
	if err != nil {
		return Record{}, fmt.Errorf("partition of %q: %w", line, err)
	}
	offset, err := strconv.ParseInt(strings.TrimPrefix(fields[1], "Offset:"), 10, 64)
	if err != nil {
		return Record{}, fmt.Errorf("offset of %q: %w", line, err)
	}
	return Record{Partition: int32(partition), Offset: offset, Value: fields[2]}, nil
}

// change changes the records or the end, and wakes everyone who waits.
func (c *Consumer) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Consumer) state() (records []Record, changed chan struct{}, ended error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.records), c.changed, c.ended
}
