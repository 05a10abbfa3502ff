// Package kafkatest runs a real Apache Kafka, and real Java consumers, for tests: the broker is the judge of what this
// library does, and the consumer is the stranger that it must get along with.
//
//	func TestAgainstKafka(t *testing.T) {
//		for _, version := range kafkatest.Versions {
//			t.Run(string(version), func(t *testing.T) {
//				broker := kafkatest.Start(t, version)
//				topic := broker.CreateTopic(t, 6)
//				... dial broker.Addr() ...
//			})
//		}
//	}
//
// # What it needs
//
// Java 17 or newer, and Maven for the first run: the jars are those that the Kafka project publishes, kept outside the
// repository in the user's cache folder (JOINSYNC_KAFKA_CACHE overrides it). Where they are missing a test is skipped, with
// a message that says what to install; with JOINSYNC_REQUIRE_KAFKA=1 it fails instead. With -short it is always skipped.
//
// # One broker for many tests
//
// Starting a broker costs about three seconds, so a test binary starts one per version and set of properties and all
// its tests share it: give topics and groups names of their own ([Name]). A test that stops its broker asks for a
// [Private] one. TestMain is not needed: see below.
//
// # Nothing outlives the test binary
//
// Every JVM started here has a guard, a small shell that reads from a pipe whose other end only the test binary holds.
// However the binary ends (done, panic, time-out, kill -9) the kernel closes that end, and the guard kills the JVM and
// removes its folder. What the JVM had on disk is worth nothing by then, so there is no polite stop. After a failed
// test the broker's log stays, and the test prints where.
//
// Everything here is bounded in time. Functions that take a testing.TB end the test when they fail and must be called
// from its goroutine; the others may be called concurrently.
package kafkatest
