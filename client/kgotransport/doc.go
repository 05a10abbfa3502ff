// Package kgotransport carries a member's requests to a Kafka cluster over franz-go's client, which brings dialing, TLS,
// SASL and the negotiation of versions with it.
//
//	transport, err := kgotransport.New(kgo.SeedBrokers("localhost:9092"))
//	member, err := consumer.New(transport, consumer.Config{...})
//
// Each session has a *kgo.Client of its own, made from the same options. kgo sends all JoinGroups and SyncGroups of a
// client over one connection for each broker, where the answer to one waits for the answer to the one before: members
// that shared a client would hold each other up. Within a session a parked JoinGroup delays nothing, since heartbeats
// and commits take another connection.
//
// # Coordinators
//
// The coordinator of a group is looked up with the first request, from any broker that answers, and remembered until
// it answers that it is not the coordinator (or none is available), a request to it fails, or stays unanswered for as
// long as its caller waits. The next request looks it up again. Nothing is retried here: not by this package, and not
// by kgo, whose requests to one broker are single attempts. Only ListOffsets, which goes to the leaders of partitions, kgo
// may send again where these have moved.
//
// # Errors
//
// Errors name the bootstrap address, or the coordinator's, and the cure. Those that no retry mends say so by a method
// Permanent (see client.Permanent): refused credentials, a broker too old, and, as long as the cluster has never
// answered, a TLS handshake that fails and a peer that does not speak Kafka's protocol. A connection that is refused or
// closed is not among them, as a broker that is just starting looks the same.
package kgotransport
