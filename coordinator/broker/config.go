package broker

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// Config holds a broker's settings, under Kafka's names where it has one. The zero value is Kafka's default for each, on
// port 9092 of the loopback interface. Listen copies it. [Config.Set] takes the names and texts of Kafka's properties.
type Config struct {
	// Addr is the host and port to listen on; port 0 is any that is free. Empty: 127.0.0.1:9092.
	Addr string

	// Listener is listened on instead of Addr, when it is set. The broker closes it.
	Listener net.Listener

	// Advertise is the host and port at which clients reach the broker (advertised.listeners). Empty: the listener's own,
	// which must then name a host.
	Advertise string

	// TLS makes the listener one for TLS. Nil: plain text.
	TLS *tls.Config

	// ClusterID names the cluster. Empty: 22 random characters, as Kafka's tools make them.
	ClusterID string

	// Rack is where the broker is (broker.rack). Empty: it tells none.
	Rack string

	// Topics are made before the first client is served: name to number of partitions.
	Topics map[string]int32

	// NoAutoCreate keeps Metadata requests from making the topics that they name (auto.create.topics.enable, reversed).
	NoAutoCreate bool

	// DefaultPartitions is how many partitions a topic has if nobody says a number (num.partitions). Zero: 1.
	DefaultPartitions int32

	// MaxPartitions bounds the partitions of all topics together, since each takes memory as soon as it is made. Kafka
	// has no such bound. Zero: 100,000.
	MaxPartitions int

	// MaxRequestBytes bounds a request (socket.request.max.bytes). Zero: 100 MiB.
	MaxRequestBytes int

	// MaxMessageBytes bounds a batch of records, those of groups too (message.max.bytes). Zero: 1,048,588.
	MaxMessageBytes int

	// MaxConnections and MaxConnectionsPerIP bound the connections, all together and from each address (max.connections,
	// max.connections.per.ip). One more is closed at once. Zero: no bound.
	MaxConnections, MaxConnectionsPerIP int

	// IdleTimeout closes a connection after so long without a byte in either direction (connections.max.idle.ms).
	// Zero: 10 min. Negative: never.
	IdleTimeout time.Duration

	// Coordinator holds the settings of groups. Its Topics and Transactions must be nil: those are the broker's. Its
	// Logger is Logger, and its MaxBatchBytes is MaxMessageBytes, unless they are set.
	Coordinator coordinator.Config

	// Logger is told why a connection was closed, and what the coordinator has to say. Nil: nothing is logged.
	Logger *zap.Logger
}

// Validate returns every violation in the config, or nil. [Listen] calls it.
func (c Config) Validate() error {
	_, err := c.withDefaults()
	return err
}

// withDefaults returns the config with the defaults in the place of zeros, or an error that names every violation.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	if c.Coordinator.Topics != nil {
		errs = append(errs, errors.New("broker: Coordinator.Topics is set: leave it nil, the topics are those that clients "+
			"find here; list some in Topics to have them from the start"))
	}
	if c.Coordinator.Transactions != nil {
		errs = append(errs, errors.New("broker: Coordinator.Transactions is set: leave it nil, the transactions are those of "+
			"the producers here"))
	}
	if c.Listener != nil && c.Addr != "" {
		errs = append(errs, errors.New("broker: Listener and Addr are both set: set one of them"))
	}
	c.Addr = cmp.Or(c.Addr, "127.0.0.1:9092")
	errs = append(errs, c.checkAddresses())
	c.ClusterID = cmp.Or(c.ClusterID, newClusterID())
	errs = append(errs,
		atLeastOne("DefaultPartitions", &c.DefaultPartitions, 1),
		atLeastOne("MaxPartitions", &c.MaxPartitions, 100_000),
		atLeastOne("MaxRequestBytes", &c.MaxRequestBytes, protocol.MaxFrame),
		atLeastOne("MaxMessageBytes", &c.MaxMessageBytes, 1_048_588),
		atLeastOne("MaxConnections", &c.MaxConnections, maxInt),
		atLeastOne("MaxConnectionsPerIP", &c.MaxConnectionsPerIP, maxInt),
	)
	errs = append(errs, c.checkTopics())
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 10*time.Minute)
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	c.Coordinator.Logger = cmp.Or(c.Coordinator.Logger, c.Logger)
	c.Coordinator.MaxBatchBytes = cmp.Or(c.Coordinator.MaxBatchBytes, c.MaxMessageBytes)
	var err error
	c.Coordinator, err = c.Coordinator.WithDefaults()
	return c, errors.Join(append(errs, err)...)
}

func (c *Config) checkTopics() error {
	var errs []error
	room := c.MaxPartitions
	for _, name := range slices.Sorted(maps.Keys(c.Topics)) {
		partitions := c.Topics[name]
		switch {
		case !legalTopic(name):
			errs = append(errs, fmt.Errorf("broker: Topics has %q: use 1 to 249 of the characters a-z A-Z 0-9 . _ -", name))
		case partitions < 0:
			errs = append(errs, fmt.Errorf("broker: Topics has %q with %d partitions: use one or more, or zero for the default", name, partitions))
		}
		room -= int(cmp.Or(partitions, c.DefaultPartitions))
	}
	if room < 0 {
		errs = append(errs, fmt.Errorf("broker: Topics has %d partitions in all, more than MaxPartitions (%d)", c.MaxPartitions-room, c.MaxPartitions))
	}
	return errors.Join(errs...)
}

const maxInt = int(^uint(0) >> 1)

func atLeastOne[T int | int32](field string, value *T, byDefault T) error {
	if *value < 0 {
		return fmt.Errorf("broker: %s is %d: set it above zero, or leave it zero for the default", field, *value)
	}
	*value = cmp.Or(*value, byDefault)
	return nil
}

func newClusterID() string {
	var id [16]byte
	rand.Read(id[:])
	return base64.RawURLEncoding.EncodeToString(id[:])
}
