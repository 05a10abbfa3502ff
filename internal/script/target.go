package script

import (
	"context"
	"time"

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
	// Name is one of the names of targets: whose answers are expected.
	Name string

	// Start makes a target for a script, or returns an [*Unfit]. Properties that the script does not set
	// ([Script.Settings]) are to be Kafka's defaults, but for group.initial.rebalance.delay.ms=0 and
	// group.min.session.timeout.ms=100.
	Start func(s *Script) (Target, error)

	// AnyMemberID says that the member ids which it gives out may have another form than Kafka's.
	AnyMemberID bool

	// Patience is how long an expected answer may take, in real time; 0: 20 seconds.
	Patience time.Duration
}

// A Target is a coordinator for the length of one script.
type Target interface {
	// Idle returns a function that waits until everything is done that takes no time, for a coordinator in the script's
	// testing/synctest bubble: synctest.Wait. It returns nil for one that lives in real time.
	Idle() func()

	// Prefixes are put before every group id, and before every topic, to keep apart who shares a broker. They may be
	// empty. They are taken out of the answers again.
	Prefixes() (group, topic string)

	// CreateTopics makes topics that have the given numbers of partitions, or finds that they are there already, and
	// returns their ids. The names are without prefix. An [*Unfit] in its error is the script's.
	CreateTopics(ctx context.Context, partitions map[string]int32) (ids map[string][16]byte, err error)

	// DeleteTopics deletes topics that no other script uses. The names are without prefix.
	DeleteTopics(ctx context.Context, names []string) error

	// Open returns a session for one client. Unlike what sessions do otherwise, it sends each request in the version
	// that the request has. A request that the coordinator leaves without an answer for good, as Kafka does with a
	// replaced JoinGroup (G-015), must not return before its context ends or the session is closed.
	Open(ctx context.Context, id protocol.Identity) (protocol.Session, error)
}
