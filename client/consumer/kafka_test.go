package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

// patience bounds what a real broker may take.
const patience = time.Minute

func onKafka(t *testing.T, test func(t *testing.T, broker *kafkatest.Broker)) {
	t.Helper()
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) { test(t, kafkatest.Start(t, version)) })
	}
}

func newKafkaConsumer(t *testing.T, addr string, cfg consumer.Config, opts ...kgo.Opt) *consumer.Consumer {
	t.Helper()
	transport, err := kgotransport.New(append(opts, kgo.SeedBrokers(addr))...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := consumer.New(transport, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := c.Close(ctx); err != nil && c.Err() == nil {
			t.Error(err)
		}
	})
	return c
}

// awaitGroup waits until the broker says that the group is stable with so many members, and checks its assignment.
func awaitGroup(t *testing.T, broker *kafkatest.Broker, group, topic string, members int, partitions int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	seen, err := kafkatest.AwaitGroup(ctx, broker.Addr(), group, func(g kafkatest.Group) bool {
		return g.State == "Stable" && len(g.Members) == members
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := seen.CheckAssignment(topic, partitions); err != nil {
		t.Error(err)
	}
}

func TestConsumersShareOnKafka(t *testing.T) {
	onKafka(t, func(t *testing.T, broker *kafkatest.Broker) {
		topic, group := broker.CreateTopic(t, 7), kafkatest.Name(t)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cfg := consumer.Config{
			Topics: []string{topic},
			Member: client.Config{Group: group, SessionTimeout: 3 * time.Second, HeartbeatInterval: 200 * time.Millisecond},
		}
		first, second := newKafkaConsumer(t, broker.Addr(), cfg), newKafkaConsumer(t, broker.Addr(), cfg)
		third := newKafkaConsumer(t, broker.Addr(), cfg)
		for _, c := range []*consumer.Consumer{first, second, third} {
			if _, err := c.Join(ctx).Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
		awaitGroup(t, broker, group, topic, 3, 7)

		a, err := first.Join(ctx).Wait(ctx)
		if err != nil || len(a.Partitions) == 0 {
			t.Fatalf("assignment is %+v, %v", a, err)
		}
		done := map[consumer.TopicPartition]consumer.Offset{a.Partitions[0]: {At: 42, LeaderEpoch: 1, Metadata: "here"}}
		if err := first.Commit(ctx, done); err != nil {
			t.Fatal(err)
		}
		if err := second.Close(ctx); err != nil {
			t.Fatal(err)
		}
		awaitGroup(t, broker, group, topic, 2, 7)
		got, err := third.Committed(ctx, a.Partitions...)
		if err != nil || len(got) != 1 || got[a.Partitions[0]] != done[a.Partitions[0]] {
			t.Errorf("committed are %v, %v", got, err)
		}
	})
}

func TestErrorsOfKafka(t *testing.T) {
	onKafka(t, func(t *testing.T, broker *kafkatest.Broker) {
		group := kafkatest.Name(t)
		for name, tt := range map[string]struct {
			addr   string
			cfg    client.Config
			opts   []kgo.Opt
			target error
			words  []string
		}{
			"session timeout out of bounds": {
				addr:   broker.Addr(),
				cfg:    client.Config{SessionTimeout: time.Hour},
				target: protocol.InvalidSessionTimeout,
				words:  []string{"SessionTimeout is 1h0m0s", "group.max.session.timeout.ms"},
			},
			"wrong password": {
				addr:   broker.SASLAddr(),
				opts:   []kgo.Opt{kgo.SASL(plain.Auth{User: kafkatest.User, Pass: "wrong"}.AsMechanism())},
				target: protocol.SASLAuthenticationFailed,
				words:  []string{"bootstrap " + broker.SASLAddr(), "check user name, password and SASL mechanism"},
			},
			"unknown mechanism at a listener without SASL": {
				addr:   broker.Addr(),
				opts:   []kgo.Opt{kgo.SASL(plain.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsMechanism())},
				target: protocol.IllegalSASLState,
				words:  []string{"bootstrap " + broker.Addr(), "check that the listener is one with SASL"},
			},
			"no password": {
				addr:  broker.SASLAddr(),
				cfg:   client.Config{BootstrapTimeout: 2 * time.Second},
				words: []string{"bootstrap " + broker.SASLAddr(), "whether it wants TLS or SASL"},
			},
			"TLS at a plaintext listener": {
				addr:  broker.Addr(),
				cfg:   client.Config{BootstrapTimeout: 2 * time.Second},
				opts:  []kgo.Opt{kgo.DialTLS()},
				words: []string{"bootstrap " + broker.Addr(), "TLS"},
			},
		} {
			t.Run(name, func(t *testing.T) {
				tt.cfg.Group = group
				c := newKafkaConsumer(t, tt.addr, consumer.Config{Topics: []string{"t"}, Member: tt.cfg}, tt.opts...)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := c.Join(ctx).Wait(ctx)
				wantErr(t, err, tt.target, tt.words...)
				if ctx.Err() != nil {
					t.Error("it took as long as it was allowed to")
				}
			})
		}
		t.Run("right password", func(t *testing.T) {
			cfg := consumer.Config{Topics: []string{"t"}, Member: client.Config{Group: group}}
			c := newKafkaConsumer(t, broker.SASLAddr(), cfg, kgo.SASL(plain.Auth{User: kafkatest.User, Pass: kafkatest.Password}.AsMechanism()))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := c.Join(ctx).Wait(ctx); err != nil {
				t.Error(err)
			}
		})
	})
}
