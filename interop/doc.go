// Package interop tests joinsync serve with clients of other makes, each as its users have it: kcat's balanced consumer,
// the consumer, the command line tools and the Connect workers of Apache Kafka, franz-go's kgo and Sarama. It is a module of its own,
// so that who imports the library need not require them.
//
// It also has joinsync assign --jsonl and the assignors of Java's consumer answer the same cases, drawn from a seed; the shortest one that
// fails is printed as a line to give to joinsync assign --jsonl again.
//
// A test is skipped where its client is not installed; with JOINSYNC_REQUIRE_KAFKA=1 it fails instead.
package interop
