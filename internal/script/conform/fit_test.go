package conform

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
)

// fitting returns a broker that has what scripts need.
func fitting() *Broker {
	b := &Broker{like: script.Kafka440, versions: map[int16]protocol.VersionRange{}, settings: Assumed()}
	for _, key := range []kmsg.Key{kmsg.JoinGroup, kmsg.Heartbeat, kmsg.OffsetCommit, kmsg.CreateTopics, kmsg.DeleteTopics, kmsg.Metadata} {
		b.versions[key.Int16()] = protocol.VersionRange{Min: 1, Max: 10}
	}
	return b
}

func TestAScriptIsSkippedWithAReason(t *testing.T) {
	has := func(property, value string) func(*Broker) { return func(b *Broker) { b.settings[property] = value } }
	lists := func(key kmsg.Key, low, high int16) func(*Broker) {
		return func(b *Broker) { b.versions[key.Int16()] = protocol.VersionRange{Min: low, Max: high} }
	}
	const delay, low, high, size, metadata = "group.initial.rebalance.delay.ms", "group.min.session.timeout.ms",
		"group.max.session.timeout.ms", "group.max.size", "offset.metadata.max.bytes"
	for _, test := range []struct {
		name, text string
		broker     func(*Broker)
		want       string
	}{
		{"nothing is missing", "topics orders:4\nA: JoinGroup v9 session=100ms\ndrop orders\n", func(*Broker) {}, ""},
		{"who joins waits", "A: JoinGroup v9\n", has(delay, "3000"), "needs " + delay + "=0, and the broker has 3000"},
		{"who does not join does not wait", "A: Heartbeat v4\n", has(delay, "3000"), ""},
		{"the script has a delay of its own", "settings " + delay + "=3000\nA: JoinGroup v9\n", has(delay, "3000"), ""},
		{"the script needs another delay", "settings " + delay + "=3000\nA: JoinGroup v9\n", func(*Broker) {}, "needs " + delay + "=3000, and the broker has 0"},
		{"a short session is refused", "A: JoinGroup v9 session=1s\n", has(low, "6000"), "needs " + low + "=100, and the broker has 6000"},
		{"a long session is not refused", "A: JoinGroup v9 session=6s\n", has(low, "6000"), ""},
		{"a refused session is allowed", "A: JoinGroup v9 session=99ms\n", has(low, "1"), "needs " + low + "=100, and the broker has 1"},
		{"a session is too long", "A: JoinGroup v9 session=10m\n", has(high, "300000"), "needs " + high + "=1800000, and the broker has 300000"},
		{"groups are small", "A: JoinGroup v9\n", has(size, "2"), "needs " + size + "=2147483647, and the broker has 2"},
		{"groups are large enough", "A: JoinGroup v9\n", has(size, "1000"), ""},
		{"metadata is short", "A: OffsetCommit v9\n", has(metadata, "10"), "needs " + metadata + "=4096, and the broker has 10"},
		{"groups are swept often", "A: Heartbeat v4\n", has("offsets.retention.check.interval.ms", "1000"),
			"needs offsets.retention.check.interval.ms=600000, and the broker has 1000"},
		{"what is not told is assumed", "A: JoinGroup v9\n", func(b *Broker) { delete(b.settings, delay) }, ""},
		{"what is not told does not fit what is needed", "settings group.x=1\n", func(*Broker) {}, "needs group.x=1, and the broker does not tell what it has"},
		{"two things are missing", "settings group.x=1 group.y=2\n", has("group.y", "3"),
			"needs group.x=1, and the broker does not tell what it has; group.y=2, and the broker has 3"},
		{"no API", "A: SyncGroup v5\n", func(*Broker) {}, "asks SyncGroup, which the broker does not list"},
		{"no such version", "A: JoinGroup v0\n", func(*Broker) {}, "asks JoinGroup v0, and the broker lists v1 to v10"},
		{"a version that must be missing", "A: JoinGroup v0\n  ✗ connection closed\n", func(*Broker) {}, ""},
		{"a version that another Kafka is asked", "[3.9.2] A: JoinGroup v0\n", func(*Broker) {}, ""},
		{"no topics", "topics orders:4\n", lists(kmsg.CreateTopics, 0, 4), "asks CreateTopics v5, and the broker lists v0 to v4"},
		{"no topic ids", "topics orders:4\n", lists(kmsg.Metadata, 0, 9), "asks Metadata v10, and the broker lists v0 to v9"},
		{"topics stay, which does not matter", "topics orders:4\n", lists(kmsg.DeleteTopics, 0, 3), ""},
		{"topics stay", "topics orders:4\ndrop orders\n", lists(kmsg.DeleteTopics, 0, 3), "asks DeleteTopics v4, and the broker lists v0 to v3"},
	} {
		s, err := script.Parse("a.txt", test.text)
		if err != nil {
			t.Fatal(err)
		}
		b := fitting()
		test.broker(b)
		got := ""
		if unfit := b.fit(s); unfit != nil {
			got = unfit.Reason
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestWhatABrokerDoesNotTellIsKnown(t *testing.T) {
	b := fitting()
	delete(b.settings, "group.max.size")
	if untold := b.Untold(); len(untold) != 1 || untold["group.max.size"] != "2147483647" {
		t.Error(untold)
	}
}
