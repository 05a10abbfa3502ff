// Package conform runs the scenarios on a broker that is running already, whoever has built it, and says where it does not do as
// Apache Kafka does.
//
//	broker, err := conform.Inspect(ctx, conform.Config{Addr: "localhost:9092"})
//	broker.Run(ctx, scripts, func(r conform.Result) { … })
//	left := broker.CleanUp(ctx)
//
// # What is not asked
//
// A script is skipped, with a reason, when the broker cannot be held to it: it sends a version that ApiVersions does not list, it
// needs settings that the broker does not have, its topics cannot be made, or it is not for the Kafka whose answers are
// expected. Scripts assume a few settings without saying so ([Assumed]); each matters to those that it can change an answer
// of. What the broker does not tell by DescribeConfigs is taken to be as scripts assume it.
//
// # Which Kafka
//
// Where 4.4.0 and 3.9.2 differ, a broker is held to the one that it resembles: 3.9.2 if it still has version 0 of OffsetCommit,
// which 4.0 has removed (KIP-896), and not version 10, which is younger; else 4.4.0.
//
// # Sharing a broker
//
// Groups, topics and transactional ids have a prefix that is unique to a run. Members and transactions that scripts leave behind
// end by their own time-outs. The broker must be the only one of its cluster, since it must coordinate all groups.
package conform
