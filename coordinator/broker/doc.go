// Package broker is a Kafka broker in one process, for clients of any kind: the groups are those of package coordinator,
// and topics and records are kept in memory by kfake, behind the same address.
//
// # In a test
//
// With 127.0.0.1:0 as Config.Addr the port is any that is free, and [Broker.Advertised] tells which. With a
// Config.Listener that hands out connections in memory, and clients that dial there (franz-go's by kgo.Dialer, over
// net.Pipe if need be), everything runs inside a testing/synctest bubble, and time-outs take no time. A client's first
// join takes three seconds, as on Kafka, unless Config.Coordinator has a negative InitialRebalanceDelay.
//
// # The door
//
// [Listen] opens a listener. Each frame that comes in is decoded strictly, against a list of the APIs that are served,
// before anything is done with it. Requests of groups go to the coordinator and never past it; requests of the data plane
// are passed on to kfake as they came, over a connection within the process that belongs to the client's connection
// alone. A few are answered at the door: ApiVersions, which lists what both sides serve and nothing else;
// FindCoordinator; the handshake of SASL, which is not served; and those parts of a request that kfake would not survive
// (a topic of two thousand million partitions, records that do not read as records).
//
// Some of kfake's answers would end Kafka's own clients, or mislead them, and are mended: those to CreateTopics, whose
// settings have no source there; those to DescribeConfigs, which tell little of the settings of groups; those to
// DescribeTopicPartitions, which are null where a list must be.
//
// # Transactions
//
// Transactions are kfake's, the offsets that they commit are the coordinator's, and the door keeps both in step: of the
// requests of one transactional id it lets one through at a time, asks kfake whether a transaction is under way before
// offsets are taken for it, and tells the groups of its end before the producer has its answer, or within about a second
// after kfake has aborted it because its time was up. Where the groups cannot store the end, they are told again, and the
// producer's next requests, that EndTxn among them, are answered CONCURRENT_TRANSACTIONS until they have. What a broker finds
// of transactions in its store when it starts is aborted: their records are gone, and nobody was told that they would last.
//
// Who is the producer of a transactional id, and who was it and is fenced, is decided at the door too, as Kafka does it:
// kfake takes the word of a producer of an earlier epoch. What it keeps is the time-out with which a transactional id was
// first seen.
//
// # Connections
//
// As with Kafka, the requests of one connection are answered one at a time and in their order, and what else a client
// sends waits in its own socket. A connection is closed, with a line in the log that says why (a hundred in a second, and
// then one of a thousand), when a frame is larger than Config.MaxRequestBytes, when it does not decode, when it asks for an
// API or a version that is not served, and when nothing was read from or written to it for Config.IdleTimeout: so it is
// with clients that stop in the middle of a request or never read their answers. A request that Kafka leaves without an
// answer (a JoinGroup that a later one of the same member has replaced; G-015) is left without one here too, together with
// all that follow it on the connection. A client that goes away while its JoinGroup is parked stays a member until its
// session ends (G-136).
//
// No connection can keep another one waiting, but for the time that kfake, which does one thing at a time, takes for
// each request of the data plane.
package broker
