package kafkatest

// A Version of Kafka as its jars are published, "4.4.0".
type Version string

// The versions that the library is tested with: the newest, and the last with the group coordinator written in Scala,
// which differs from the newer one in ways a client can see.
const (
	V4_4_0 Version = "4.4.0"
	V3_9_2 Version = "3.9.2"
)

// Versions lists all of them, the newest first, for tests that show the same on each.
var Versions = []Version{V4_4_0, V3_9_2}

// clientVersion is the version of the Java consumers, whatever the broker's version is.
const clientVersion = V4_4_0
