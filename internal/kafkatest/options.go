package kafkatest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An Option changes the broker that [Start] returns.
type Option func(*config)

// With sets one property of the broker, in addition to those that [Start] names or instead of one of them.
func With(property, value string) Option {
	return func(c *config) { c.properties[property] = value }
}

// Private gives the test a broker of its own, which the test may stop, and which stops at the end of the test.
func Private() Option {
	return func(c *config) { c.private = true }
}

// config is what makes one broker different from another.
type config struct {
	version    Version
	properties map[string]string
	private    bool
}

func newConfig(version Version, opts []Option) config {
	c := config{version: version, properties: map[string]string{
		"process.roles":              "broker,controller",
		"node.id":                    "1",
		"controller.listener.names":  "CONTROLLER",
		"inter.broker.listener.name": "PLAINTEXT",

		// With one of each, requests over several connections are handled in the order in which they were sent.
		"num.network.threads": "1",
		"num.io.threads":      "1",

		"offsets.topic.num.partitions":             "4",
		"offsets.topic.replication.factor":         "1",
		"transaction.state.log.num.partitions":     "4",
		"transaction.state.log.replication.factor": "1",
		"transaction.state.log.min.isr":            "1",
		"group.initial.rebalance.delay.ms":         "0",
		"group.min.session.timeout.ms":             "100",
		"offsets.retention.check.interval.ms":      "86400000",
	}}
	maps.Copy(c.properties, security)
	for _, opt := range opts {
		opt(&c)
	}
	return c
}

// key is equal for configurations that may share a broker.
func (c config) key() string { return string(c.version) + "\n" + c.text() }

// text returns the properties as a file's text, sorted.
func (c config) text() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.properties)) {
		// A backslash would be an escape to Java.
		fmt.Fprintf(&text, "%s=%s\n", name, strings.ReplaceAll(c.properties[name], `\`, `\\`))
	}
	return text.String()
}

// withPlace returns the configuration plus the properties that only one start of a broker can know: its ports, and its
// folder.
func (c config) withPlace(p ports, folder string) config {
	listeners := fmt.Sprintf("PLAINTEXT://%s,SASL://%s,TLS://%s", p.plain, p.sasl, p.tls)
	c.properties = maps.Clone(c.properties)
	c.properties["listeners"] = listeners + ",CONTROLLER://" + p.controller
	c.properties["advertised.listeners"] = listeners
	c.properties["controller.quorum.voters"] = "1@" + p.controller
	c.properties["log.dirs"] = filepath.Join(folder, "data")
	c.properties["listener.name.tls.ssl.keystore.location"] = filepath.Join(folder, keystoreName)
	return c
}
