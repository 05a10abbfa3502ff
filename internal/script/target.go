package script

import (
	"context"
	"testing"

	"github.com/joinsync/joinsync/protocol"
)

// The names of targets, as the tags of scripts write them.
const (
	Kafka440 = "4.4.0" // Apache Kafka 4.4.0
	Core     = "core"  // this library's coordinator, in process or behind its server
	Kafka392 = "3.9.2" // Apache Kafka 3.9.2, with the older coordinator
)

// targetNames lists them; of those that run a script, the first gives the answers that stand untagged.
var targetNames = []string{Kafka440, Core, Kafka392}

// A Backend is what scripts can run on.
type Backend struct {
	// Name is one of the names of targets.
	Name string

	// Lacks names APIs that it does not serve, each with the reason. A script that asks for one is skipped.
	Lacks map[string]string

	// Start makes a target for one script. The settings are Kafka's broker properties; those that the script does not
	// set are Kafka's defaults, but for group.initial.rebalance.delay.ms=0 and group.min.session.timeout.ms=100. It
	// skips the test when the target cannot have them.
	Start func(t testing.TB, settings map[string]string) Target
}

// A Target is a coordinator for the length of one script.
type Target interface {
	// Virtual reports whether the script runs in a testing/synctest bubble together with the coordinator. Then nothing is
	// waited for in real time.
	Virtual() bool

	// GroupPrefix is put before every group id, to keep scripts apart that share a broker. It may be empty.
	GroupPrefix() string

	// CreateTopics makes topics that have the given numbers of partitions, or finds that they are there already, and
	// returns their ids.
	CreateTopics(ctx context.Context, partitions map[string]int32) (ids map[string][16]byte, err error)

	// Open returns a session for one client. Unlike what sessions do otherwise, it sends each request in the version
	// that the request has. A request that the coordinator leaves without an answer for good, as Kafka does with a
	// replaced JoinGroup (G-015), must not return before its context ends or the session is closed.
	Open(ctx context.Context, id protocol.Identity) (protocol.Session, error)
}
