package broker

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// properties are the settings that have a name in Kafka's broker configuration.
var properties = map[string]func(c *Config, value string) error{
	"auto.create.topics.enable": func(c *Config, value string) error {
		enable, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("true or false is needed")
		}
		c.NoAutoCreate = !enable
		return nil
	},
	"connections.max.idle.ms":             millis(func(c *Config) *time.Duration { return &c.IdleTimeout }, -1),
	"group.initial.rebalance.delay.ms":    millis(func(c *Config) *time.Duration { return &c.Coordinator.InitialRebalanceDelay }, 0),
	"group.max.session.timeout.ms":        millis(func(c *Config) *time.Duration { return &c.Coordinator.MaxSessionTimeout }, 1),
	"group.max.size":                      count(func(c *Config) *int { return &c.Coordinator.MaxGroupSize }, 1),
	"group.min.session.timeout.ms":        millis(func(c *Config) *time.Duration { return &c.Coordinator.MinSessionTimeout }, 1),
	"max.connections":                     count(func(c *Config) *int { return &c.MaxConnections }, 1),
	"max.connections.per.ip":              count(func(c *Config) *int { return &c.MaxConnectionsPerIP }, 1),
	"message.max.bytes":                   count(func(c *Config) *int { return &c.MaxMessageBytes }, 1),
	"num.partitions":                      count(func(c *Config) *int32 { return &c.DefaultPartitions }, 1),
	"offset.metadata.max.bytes":           count(func(c *Config) *int { return &c.Coordinator.OffsetMetadataMaxBytes }, 1),
	"offsets.retention.check.interval.ms": millis(func(c *Config) *time.Duration { return &c.Coordinator.OffsetsRetentionCheckInterval }, 1),
	"offsets.retention.minutes":           minutes(func(c *Config) *time.Duration { return &c.Coordinator.OffsetsRetention }),
	"offsets.topic.num.partitions":        count(func(c *Config) *int32 { return &c.Coordinator.Partitions }, 1),
	"socket.request.max.bytes":            count(func(c *Config) *int { return &c.MaxRequestBytes }, 1),
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
	set, ok := properties[property]
	if !ok {
		return fmt.Errorf("there is no setting %q; near to it are %s", property, strings.Join(nearest(property, Properties(), 3), ", "))
	}
	if err := set(c, value); err != nil {
		return fmt.Errorf("%s=%s: %w", property, value, err)
	}
	return nil
}

// count is the setter of a number that is at least low.
func count[T int | int32](field func(*Config) *T, low int64) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := number(value, low)
		if err == nil {
			*field(c) = T(n)
		}
		return err
	}
}

// millis is the setter of a time that is at least low. Our zero means the default; where 0 ms are allowed, a negative
// time stands for them, and for Kafka's -1 too.
func millis(field func(*Config) *time.Duration, low int64) func(*Config, string) error {
	return func(c *Config, value string) error {
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
	}
}

// minutes is the setter of a time of whole minutes, at least one.
func minutes(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := number(value, 1)
		if err == nil {
			*field(c) = time.Duration(n) * time.Minute
		}
		return err
	}
}

func number(value string, low int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < low || n > math.MaxInt32 {
		return 0, fmt.Errorf("a whole number from %d to %d is needed", low, math.MaxInt32)
	}
	return n, nil
}
