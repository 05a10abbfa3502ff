package broker

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A property is a setting that has a name in Kafka's broker configuration.
type property struct {
	kind kmsg.ConfigType
	set  func(c *Config, value string) error
	get  func(c *Config) string // of a config that has its defaults
}

var properties = map[string]property{
	"auto.create.topics.enable": {
		kind: kmsg.ConfigTypeBoolean,
		set: func(c *Config, value string) error {
			enable, err := strconv.ParseBool(value)
			if err != nil {
				return errors.New("true or false is needed")
			}
			c.NoAutoCreate = !enable
			return nil
		},
		get: func(c *Config) string { return strconv.FormatBool(!c.NoAutoCreate) },
	},
	"broker.rack": {
		kind: kmsg.ConfigTypeString,
		set:  func(c *Config, value string) error { c.Rack = value; return nil },
		get:  func(c *Config) string { return c.Rack },
	},
	"connections.max.idle.ms":          millis(kmsg.ConfigTypeLong, func(c *Config) *time.Duration { return &c.IdleTimeout }, -1),
	"group.initial.rebalance.delay.ms": millis(kmsg.ConfigTypeInt, func(c *Config) *time.Duration { return &c.Coordinator.InitialRebalanceDelay }, 0),
	"group.max.session.timeout.ms":     millis(kmsg.ConfigTypeInt, func(c *Config) *time.Duration { return &c.Coordinator.MaxSessionTimeout }, 1),
	"group.max.size":                   count(func(c *Config) *int { return &c.Coordinator.MaxGroupSize }),
	"group.min.session.timeout.ms":     millis(kmsg.ConfigTypeInt, func(c *Config) *time.Duration { return &c.Coordinator.MinSessionTimeout }, 1),
	"max.connections":                  count(func(c *Config) *int { return &c.MaxConnections }),
	"max.connections.per.ip":           count(func(c *Config) *int { return &c.MaxConnectionsPerIP }),
	"message.max.bytes":                count(func(c *Config) *int { return &c.MaxMessageBytes }),
	"num.partitions":                   count(func(c *Config) *int32 { return &c.DefaultPartitions }),
	"offset.metadata.max.bytes":        count(func(c *Config) *int { return &c.Coordinator.OffsetMetadataMaxBytes }),
	"offsets.retention.check.interval.ms": millis(kmsg.ConfigTypeLong, func(c *Config) *time.Duration {
		return &c.Coordinator.OffsetsRetentionCheckInterval
	}, 1),
	"offsets.retention.minutes":    minutes(func(c *Config) *time.Duration { return &c.Coordinator.OffsetsRetention }),
	"offsets.topic.num.partitions": count(func(c *Config) *int32 { return &c.Coordinator.Partitions }),
	"socket.request.max.bytes":     count(func(c *Config) *int { return &c.MaxRequestBytes }),
}

// Properties returns the names that [Config.Set] knows, sorted.
func Properties() []string {
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Set sets what Kafka's broker calls by that name, from a text as it stands in a server.properties. An error names the
// property and what is allowed; for one that is not known, the names nearest to it.
func (c *Config) Set(property, value string) error {
	known, ok := properties[property]
	if !ok {
		return fmt.Errorf("there is no setting %q; near to it are %s", property, strings.Join(nearest(property, Properties(), 3), ", "))
	}
	if err := known.set(c, value); err != nil {
		return fmt.Errorf("%s=%s: %w", property, value, err)
	}
	return nil
}

// count is a number, at least one.
func count[T int | int32](field func(*Config) *T) property {
	return property{
		kind: kmsg.ConfigTypeInt,
		set: func(c *Config, value string) error {
			n, err := number(value, 1)
			if err == nil {
				*field(c) = T(n)
			}
			return err
		},
		get: func(c *Config) string { return strconv.Itoa(min(int(*field(c)), math.MaxInt32)) },
	}
}

// millis is a time that is at least low. Our zero means the default; where 0 ms are allowed, a negative time stands for
// them, and for Kafka's -1 too.
func millis(kind kmsg.ConfigType, field func(*Config) *time.Duration, low int64) property {
	return property{
		kind: kind,
		set: func(c *Config, value string) error {
			n, err := number(value, low)
			switch {
			case err != nil:
				return err
			case n <= 0:
				*field(c) = -1
			default:
				*field(c) = time.Duration(n) * time.Millisecond
			}
			return nil
		},
		get: func(c *Config) string {
			n := (*field(c)).Milliseconds()
			if *field(c) < 0 {
				n = low
			}
			return strconv.FormatInt(n, 10)
		},
	}
}

// minutes is a time of whole minutes, at least one.
func minutes(field func(*Config) *time.Duration) property {
	return property{
		kind: kmsg.ConfigTypeInt,
		set: func(c *Config, value string) error {
			n, err := number(value, 1)
			if err == nil {
				*field(c) = time.Duration(n) * time.Minute
			}
			return err
		},
		get: func(c *Config) string { return strconv.Itoa(int(*field(c) / time.Minute)) },
	}
}

func number(value string, low int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < low || n > math.MaxInt32 {
		return 0, fmt.Errorf("a whole number from %d to %d is needed", low, math.MaxInt32)
	}
	return n, nil
}
