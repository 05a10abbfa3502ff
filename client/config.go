package client

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Config says how a member behaves in its group. The zero value of every field but Group means the default of Kafka's
// own consumer (its setting's name is given).
type Config struct {
	// Group is the group id (group.id). It must not be empty (G-523).
	Group string
	// ClientID names the program in the broker's logs and begins its member ids (client.id, G-017). Empty means
	// <protocol type>-<group>-<instance id, or a counter> (G-525).
	ClientID string
	// InstanceID makes the member a static one: it keeps its place over a restart that is shorter than the session
	// timeout (group.instance.id, KIP-345). No two running members may share one. Empty means a dynamic member.
	InstanceID string

	// SessionTimeout is how long the coordinator waits for a heartbeat before it takes the member for dead
	// (session.timeout.ms, 45 s). The broker sets bounds to it.
	SessionTimeout time.Duration
	// RebalanceTimeout is how long the coordinator waits for the member to join again in a rebalance, so the time that
	// it has for giving up its assignment (max.poll.interval.ms, 5 min).
	RebalanceTimeout time.Duration
	// HeartbeatInterval is the time from one heartbeat to the next (heartbeat.interval.ms, 3 s). It must be below the
	// session timeout (G-476); where that is below 9 s, the default is a third of it.
	HeartbeatInterval time.Duration
	// RequestTimeout is how long a request may stay unanswered, JoinGroup and SyncGroup aside, which the coordinator
	// holds on purpose (request.timeout.ms, 30 s).
	RequestTimeout time.Duration
	// RetryBackoff is the first pause before a failed request is tried again, and RetryBackoffMax the longest
	// (retry.backoff.ms, 100 ms, and retry.backoff.max.ms, 1 s).
	RetryBackoff, RetryBackoffMax time.Duration
	// BootstrapTimeout is how long a new member looks for the cluster before it gives up (default.api.timeout.ms,
	// 60 s); negative means for ever. Once the cluster has answered, the member never gives up on it.
	BootstrapTimeout time.Duration

	// Logger gets what operators need to see. Nil means none.
	Logger *zap.Logger
	// Events are told of each step.
	Events Events
}

// maxString bounds what goes into a request as a string: old versions have an int16 length.
const maxString = math.MaxInt16

// longest is the longest duration that a request can carry.
const longest = math.MaxInt32 * time.Millisecond

// Validate returns every way in which c is wrong, or nil. [New] calls it.
func (c Config) Validate() error {
	c = c.withDefaults("")
	var wrong []error
	reject := func(field string, value any, cure string) {
		wrong = append(wrong, fmt.Errorf("%s is %v: %s", field, value, cure))
	}
	switch {
	case c.Group == "":
		reject("Group", `""`, "name the group that the member shall join")
	case len(c.Group) > maxString:
		reject("Group", fmt.Sprintf("%d bytes long", len(c.Group)), fmt.Sprintf("use at most %d", maxString))
	}
	if len(c.ClientID) > maxString {
		reject("ClientID", fmt.Sprintf("%d bytes long", len(c.ClientID)), fmt.Sprintf("use at most %d", maxString))
	}
	if c.InstanceID != "" && !legalInstanceID(c.InstanceID) {
		reject("InstanceID", fmt.Sprintf("%.300q", c.InstanceID),
			"use 1 to 249 of the characters a-z A-Z 0-9 . _ -, and not . or .. alone")
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"SessionTimeout", c.SessionTimeout},
		{"RebalanceTimeout", c.RebalanceTimeout},
		{"HeartbeatInterval", c.HeartbeatInterval},
		{"RequestTimeout", c.RequestTimeout},
		{"RetryBackoff", c.RetryBackoff},
		{"RetryBackoffMax", c.RetryBackoffMax},
	} {
		if d.value < time.Millisecond || d.value > longest {
			reject(d.field, d.value, fmt.Sprintf("use 1ms to %v, or 0 for the default", longest))
		}
	}
	if c.HeartbeatInterval >= c.SessionTimeout {
		reject("HeartbeatInterval", c.HeartbeatInterval,
			fmt.Sprintf("use less than SessionTimeout, which is %v, at best a third of it", c.SessionTimeout))
	}
	if c.RetryBackoffMax < c.RetryBackoff {
		reject("RetryBackoffMax", c.RetryBackoffMax, fmt.Sprintf("use at least RetryBackoff, which is %v", c.RetryBackoff))
	}
	return errors.Join(wrong...)
}

// withDefaults returns c with its zero fields filled. The default client id begins with prefix.
func (c Config) withDefaults(prefix string) Config {
	fill := func(field *time.Duration, value time.Duration) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&c.SessionTimeout, 45*time.Second)
	fill(&c.RebalanceTimeout, 5*time.Minute)
	fill(&c.HeartbeatInterval, min(3*time.Second, max(c.SessionTimeout/3, time.Millisecond)))
	fill(&c.RequestTimeout, 30*time.Second)
	fill(&c.RetryBackoff, 100*time.Millisecond)
	fill(&c.RetryBackoffMax, max(time.Second, c.RetryBackoff))
	fill(&c.BootstrapTimeout, time.Minute)
	if c.ClientID == "" && prefix != "" {
		c.ClientID = defaultClientID(prefix, c.Group, c.InstanceID)
	}
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	return c
}

// members counts the members of this process that have no client id of their own.
var members atomic.Int64

// defaultClientID is <prefix>-<group>-<instance id, or a counter that starts at 1> (G-525), with the group cut where it
// would be longer than some clients allow.
func defaultClientID(prefix, group, instance string) string {
	const longest = 255
	if instance == "" {
		instance = fmt.Sprint(members.Add(1))
	}
	room := max(0, longest-len(prefix)-len(instance)-2)
	return prefix + "-" + group[:min(len(group), room)] + "-" + instance
}

// legalInstanceID applies Kafka's rule for topic names (G-524).
func legalInstanceID(id string) bool {
	const legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return len(id) >= 1 && len(id) <= 249 && id != "." && id != ".." && strings.Trim(id, legal) == ""
}

// joinTimeout is how long a parked JoinGroup or SyncGroup may stay unanswered (G-460). Java's client cuts SyncGroup
// short after the request timeout, and so starts the rebalance over when the leader takes longer; the coordinator
// itself allows the leader the rebalance timeout.
func (c Config) joinTimeout() time.Duration {
	return max(c.RequestTimeout, c.RebalanceTimeout+5*time.Second)
}
